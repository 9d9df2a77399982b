# $(…) waits until all who could write into its pipe have ended, also a job in the background.
# The racy script does not ask for that job's output.
echo old >data
case $1 in
racy)
  { echo new >data; $MEET; } &
  cat data
  $MEET
  wait
  $MEET remove
  ;;
fixed)
  output=$( { sleep .05; echo new >data; } & )
  cat data
  ;;
esac
