#!/bin/sh
# The same, but each process holds a lock from reading to writing.
add() {
  (
    flock 9
    n=$(cat counter)
    echo $((n + 1)) >counter
  ) 9>lock
}

echo 0 >counter
add &
{
  sleep 0.1
  add
} &
wait
cat counter
