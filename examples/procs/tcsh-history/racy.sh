#!/bin/sh
# Two tcsh sessions save their history with 'savehist merge', which should keep what both have done.
# tcsh reads the file, writes the merged history to a second file and renames that, without a lock: what
# the other session has saved in between is lost. In the bad order, 'make two' is missing in the end.
printf '#+1700000001\nmake one\n' >one
printf '#+1700000002\nmake two\n' >two
printf '#+1700000000\nls\n' >history

session() {
  tcsh -f -c "set history = 9 savehist = (9 merge) histfile = history; history -L $1; history -S"
}
session one &
{
  sleep 0.1
  session two
} &
wait
cat history
