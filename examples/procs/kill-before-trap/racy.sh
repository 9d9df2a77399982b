#!/bin/sh
# A worker is told something by a signal. In the bad order, that comes before the trap is set and ends
# the worker: the script's status is 138.
worker() {
  trap 'exit 0' USR1
  sleep 0.3
  exit 1
}

worker &
sleep 0.1
kill -USR1 $!
wait $!
