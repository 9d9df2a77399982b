#!/bin/sh
# Two processes add 1 to a counter, and neither waits for the other: an update can get lost. In the bad
# order, the counter is 1 in the end.
add() {
  n=$(cat counter)
  echo $((n + 1)) >counter
}

echo 0 >counter
add &
{
  sleep 0.1
  add
} &
wait
cat counter
