#!/bin/sh
# The same, but the worker tells when it is ready for the signal.
worker() {
  trap 'wait; exit 0' USR1
  sleep 0.3 &
  echo >ready
  wait
  exit 1
}

mkfifo ready
worker &
read -r _ <ready
kill -USR1 $!
wait $!
status=$?
rm ready
exit $status
