# Two shells count in a file; the twin's hold a lock through a descriptor, which flock(1) takes for
# them.
echo 0 >counter
count() {
  test "$1" = fixed && flock 9
  number=$(cat counter)
  echo $((number + 1)) >counter
  test "$1" = fixed || $MEET
}
(count "$1") 9>lock &
(count "$1") 9>lock &
wait
test "$1" = fixed || $MEET remove
