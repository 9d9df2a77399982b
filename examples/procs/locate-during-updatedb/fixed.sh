#!/bin/sh
# The same without the removal: renaming replaces the old database in one step.
echo /home/one >names
/usr/libexec/frcode <names >locatedb

{
  /usr/libexec/frcode <names >locatedb.n
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
