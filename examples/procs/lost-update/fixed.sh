#!/bin/sh
# The same, but the second process starts when the first has ended.
add() {
  n=$(cat counter)
  echo $((n + 1)) >counter
}

echo 0 >counter
add &
wait
add &
wait
cat counter
