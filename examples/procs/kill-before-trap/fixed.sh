#!/bin/sh
# The same, but the worker tells when it is ready for the signal, and goes on only after that.
worker() {
  trap 'told=yes' USR1
  echo >ready
  until [ "$told" ]; do sleep 0.1; done
}

mkfifo ready
worker &
read -r _ <ready
kill -USR1 $!
wait $!
status=$?
rm ready
exit $status
