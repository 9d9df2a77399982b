#!/bin/sh
# Two users are added at once. Each time the list is read for the next free number, copied, added to
# and replaced, without a lock. In the bad order, both get the number 1, and bob is lost.
add() {
  last=$(tail -n 1 passwd | cut -d : -f 3)
  cp passwd passwd.$1
  echo "$1:x:$((last + 1)):100::/home/$1:/bin/sh" >>passwd.$1
  mv passwd.$1 passwd
}

echo root:x:0:0:root:/root:/bin/sh >passwd
add alice &
{
  sleep 0.2
  add bob
} &
wait
cat passwd
