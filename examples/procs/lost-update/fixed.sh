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
add &
wait
cat counter
