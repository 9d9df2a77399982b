# note_inheritance SCRIPT: notes, for src/linux/own-inheritance.ts, what we were given before Node
# changes it. SCRIPT is the running script, which the shell keeps open and nobody inherits.
note_inheritance() {
  files=
  for link in /proc/$$/fd/*; do
    # Listing them opened one more, which is closed again by now.
    [ ! -e "$link" ] || [ "$link" -ef "$1" ] || files="$files ${link##*/}"
  done
  while read -r key value; do
    case $key in
      SigBlk:) blocked=$value ;;
      SigIgn:) ignored=$value ;;
    esac
  done </proc/$$/status
  export DEADHEAT_INHERITED="${files# } : $blocked $ignored : $(ulimit -Sn)"
  environment=$(base64 -w0 /proc/$$/environ)
  # The kernel takes no longer string; the shell's own view of the environment must do then.
  [ ${#environment} -gt 120000 ] || export DEADHEAT_ENVIRONMENT="$environment"
}
