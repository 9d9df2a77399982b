# One rule for two files is two rules with the same recipe, which make -j2 runs twice at once. In the
# bad order, one takes away the file that the other is about to rename, whose mv fails.
all: parser.c parser.h

parser.c: delay = 0.1
parser.h: delay = 0.3
parser.c parser.h:
	sleep $(delay); echo 'int parse(void);' > tmp && mv tmp parser.c && touch parser.h
