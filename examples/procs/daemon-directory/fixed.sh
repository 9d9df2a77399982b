#!/bin/sh
# The same, but the first daemon tells when it is up, and only then the second one starts.
smbd() {
  mkdir run
  echo up >run/smbd
  echo >ready
}
nmbd() {
  echo up >run/nmbd
}

mkfifo ready
smbd &
read -r _ <ready
nmbd &
wait $!
status=$?
wait
rm ready
exit $status
