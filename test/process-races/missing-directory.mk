# The object needs its directory; the racy rule lacks the order-only prerequisite.
.PHONY: racy fixed
racy: obj racy.o
fixed: obj fixed.o

obj:
	mkdir -p obj
racy.o:
	mkdir -p obj && echo object >obj/racy
fixed.o: | obj
	mkdir -p obj && echo object >obj/fixed
