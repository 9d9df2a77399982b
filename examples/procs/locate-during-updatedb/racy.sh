#!/bin/sh
# The end of updatedb, as it was in findutils 4.4.2: it removes the old database before it renames the
# new one. In the bad order, locate comes in between, finds no database and fails.
list() {
  find tree | sort | /usr/libexec/frcode
}
mkdir tree
touch tree/one
list >locatedb

{
  list >locatedb.n
  rm -f locatedb
  mv locatedb.n locatedb
} &
{
  sleep 0.2
  locate --database=locatedb one | grep one
} &
wait $!
status=$?
wait
exit $status
