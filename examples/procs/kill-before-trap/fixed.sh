#!/bin/sh
# The same, but the worker tells when it is ready for the signal, and does not go on without it.
worker() {
  trap 'exit 0' USR1
  exec 3<>nothing
  echo >ready
  read -r _ <&3
  exit 1
}

mkfifo ready nothing
worker &
read -r _ <ready
kill -USR1 $!
wait $!
status=$?
rm ready nothing
exit $status
