# The order-only prerequisite (after the bar) makes make wait for obj/.
all: obj obj/a.txt

obj:
	mkdir obj

obj/a.txt: | obj
	sleep 0.2; echo compiled > obj/a.txt
