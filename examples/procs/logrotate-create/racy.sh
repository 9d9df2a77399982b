#!/bin/sh
# logrotate moves a log away, creates a new one for its owner only, and lets others read it with a
# further call. Another user's program that comes in between may not read it. (To be another user
# takes root: this program looks at the mode.) In the bad order, it says so and fails; even earlier,
# between moving and creating, it finds no log at all.
PATH=$PATH:/usr/sbin
umask 022
mkdir logs
echo old >logs/daemon.log
cat >logrotate.conf <<END
$PWD/logs/daemon.log {
  rotate 1
  create 0644
}
END

reader() {
  if [ -z "$(find logs/daemon.log -perm -o=r)" ]; then
    echo 'reader: may not read the log' >&2
    return 1
  fi
}
logrotate --force --state /dev/null logrotate.conf &
{
  sleep 0.1
  reader
} &
wait $!
status=$?
wait
exit $status
