# Nothing says that obj/ must be there before obj/a.txt is written. In the bad order, with -j2, it is
# not there, and the build fails.
all: obj obj/a.txt

obj:
	sleep 0.1; mkdir obj

obj/a.txt:
	sleep 0.3; echo compiled > obj/a.txt
