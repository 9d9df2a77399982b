#!/bin/sh
# Two daemons are started one after the other. The second writes into a folder that the first makes
# when it is up, and nothing waits for that. In the bad order, the second cannot write and fails.
smbd() {
  mkdir run
  echo up >run/smbd
}
nmbd() {
  echo up >run/nmbd
}

smbd &
{
  sleep 0.1
  nmbd
} &
wait $!
status=$?
wait
exit $status
