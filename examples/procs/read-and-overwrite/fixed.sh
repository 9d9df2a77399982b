#!/bin/sh
# The same, but the output goes to another file, which takes the place of the first one at the end.
printf '%s\n' keep drop >list
grep -v drop list | { sleep 0.1; tee list.new; }
mv list.new list
