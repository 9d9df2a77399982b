# The report needs the table, but the racy rule does not say so, and make -j2 makes both at once.
# $(shell …) makes an old table first, so that either order ends well.
$(shell echo old >table)

.PHONY: racy fixed make-table racy-report fixed-report
racy: make-table racy-report
fixed: fixed-report

make-table:
	echo new >table
racy-report:
	sort table >report
fixed-report: make-table
	sort table >report
