# The last process of a pipeline reads to the end of the pipe, and so comes after all that the first
# one did; the racy one does not read.
echo old >data
case $1 in
racy)
  { echo new >data; $MEET; } | { cat data; $MEET; }
  $MEET remove
  ;;
fixed) { echo new >data; } | { cat; cat data; } ;;
esac
