#!/bin/bash
# Two bash sessions end and add to one history file, which HISTFILESIZE cuts to its last lines: bash
# reads it, writes those lines to a second file and renames that, all without a lock. A line that the
# other session has added in between is lost. In the bad order, 'make two' is missing in the end.
export HISTFILE=$PWD/history HISTFILESIZE=4
printf 'ls %s\n' 1 2 3 4 >history

session() {
  bash --norc -o history -c 'history -s "$1"' bash "$1"
}
session 'make one' &
{
  sleep 0.1
  session 'make two'
} &
wait
cat history
