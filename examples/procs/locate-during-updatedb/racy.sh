#!/bin/sh
# The end of updatedb, as it was in findutils 4.4.2: it removes the old database before it renames the
# new one. In the bad order, locate comes in between, finds no database and fails.
echo /home/one >names
/usr/libexec/frcode <names >locatedb

{
  /usr/libexec/frcode <names >locatedb.n
  rm -f locatedb
  mv locatedb.n locatedb
} &
{
  sleep 0.1
  locate --database=locatedb one >found
  test -s found
} &
wait $!
status=$?
wait
exit $status
