# The object needs its directory; the racy rule lacks the order-only prerequisite.
.PHONY: racy fixed directory-and-meet object-and-meet object
racy: directory-and-meet object-and-meet
	$(MEET) remove
directory-and-meet:
	mkdir -p obj; $(MEET)
object-and-meet:
	mkdir -p obj; echo object >obj/object; $(MEET)

fixed: obj object
obj:
	mkdir obj
object: | obj
	echo object >obj/object
