# Both rules make the folder unless it is there. In the bad order, both look before either has made it,
# and the second mkdir fails: the folder exists.
all: obj/one.txt obj/two.txt

obj/one.txt:
	sleep 0.1; test -d obj || mkdir obj && echo one > obj/one.txt

obj/two.txt:
	sleep 0.3; test -d obj || mkdir obj && echo two > obj/two.txt
