# Nothing says that obj/ must be there before obj/a.txt is written: with -j2 the build can fail.
all: obj obj/a.txt

obj:
	sleep 0.1; mkdir obj

obj/a.txt:
	sleep 0.3; echo compiled > obj/a.txt
