#!/bin/sh
# The same with 'merge lock', which makes a lock file first and removes it last.
printf '#+1700000001\nmake one\n' >one
printf '#+1700000002\nmake two\n' >two
printf '#+1700000000\nls\n' >history

session() {
  tcsh -f -c "set history = 9 savehist = (9 merge lock) histfile = history; history -L $1; history -S"
}
session one &
{
  sleep 0.1
  session two
} &
wait
cat history
