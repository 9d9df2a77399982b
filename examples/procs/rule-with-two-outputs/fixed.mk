# With &: (make 4.3 and later) one run of the recipe makes both files.
all: parser.c parser.h

parser.c parser.h &:
	echo 'int parse(void);' > tmp && mv tmp parser.c && touch parser.h
