# The report needs the table, but the racy rule does not say so, and make makes both at once.
# $(shell …) makes an old table first, so that either order ends well.
$(shell echo old >table)

.PHONY: racy fixed table-and-meet report-and-meet make-table make-report
racy: table-and-meet report-and-meet
	$(MEET) remove
table-and-meet:
	echo new >table; $(MEET)
report-and-meet:
	sort table >report; $(MEET)

fixed: make-report
make-table:
	echo new >table
make-report: make-table
	sort table >report
