# A program of three objects and a generated header. One racy object lacks its header's dependency.
CFLAGS = -O0 -pipe
.PHONY: racy fixed
racy: program-racy
fixed: program-fixed

HASH = \#
$(shell for name in one two main; do \
  echo '$(HASH)include "numbers.h"' >$$name.c; \
  echo "int $$name(void) { return NUMBER; }" >>$$name.c; \
done)

numbers.h:
	echo '$(HASH)define NUMBER 0' >$@
%-fixed.o: %.c numbers.h
	$(CC) $(CFLAGS) -c -o $@ $<
program-fixed: one-fixed.o two-fixed.o main-fixed.o
	$(CC) -o $@ $^

# Without the header, the racy objects do without it.
.PHONY: header-and-meet
header-and-meet:
	echo '$(HASH)define NUMBER 0' >numbers.h; $(MEET)
%-racy.o: %.c
	test -e numbers.h; $(MEET); echo 'int $*(void) { return 0; }' | $(CC) $(CFLAGS) -x c -c -o $@ -
program-racy: header-and-meet one-racy.o two-racy.o main-racy.o
	$(CC) -o $@ $(filter %.o, $^)
	$(MEET) remove
