#!/bin/sh
# A pipeline reads the file that it writes. The writer empties it when it starts. In the bad order, that
# is before the reader has read it, and the list is empty in the end.
printf '%s\n' keep drop >list
grep -v drop list | { sleep 0.1; tee list; }
