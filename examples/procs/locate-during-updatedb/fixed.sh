#!/bin/sh
# The same without the removal: renaming replaces the old database in one step.
list() {
  find tree | sort | /usr/libexec/frcode
}
mkdir tree
touch tree/one
list >locatedb

{
  list >locatedb.n
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
