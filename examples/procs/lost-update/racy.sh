#!/bin/sh
# Two processes add 1 to a counter, and neither waits for the other: an update can get lost.
add() {
  n=$(cat counter)
  echo $((n + 1)) >counter
}

echo 0 >counter
add &
add &
wait
cat counter
