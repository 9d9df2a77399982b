# Two background jobs, one of which reads what the other writes; the twin's have files of their own.
case $1 in
racy)
  echo old >data
  { echo new >data; $MEET; } &
  { cat data; $MEET; } &
  wait
  $MEET remove
  ;;
fixed)
  echo first >first &
  echo second >second &
  wait
  ;;
esac
