#!/bin/bash
# The same, but each session holds a lock until it has ended.
export HISTFILE=$PWD/history HISTFILESIZE=4
printf 'ls %s\n' 1 2 3 4 >history

session() {
  flock lock bash --norc -o history -c 'history -s "$1"' bash "$1"
}
session 'make one' &
{
  sleep 0.1
  session 'make two'
} &
wait
cat history
