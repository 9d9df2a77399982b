# The folder is a target of its own, for which both rules wait.
all: obj/one.txt obj/two.txt

obj:
	mkdir obj

obj/one.txt: | obj
	echo one > obj/one.txt

obj/two.txt: | obj
	sleep 0.1; echo two > obj/two.txt
