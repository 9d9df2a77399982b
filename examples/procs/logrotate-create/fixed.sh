#!/bin/sh
# The same, but logrotate tells the reader when it is done.
PATH=$PATH:/usr/sbin
umask 022
mkdir logs
mkfifo rotated
echo old >logs/daemon.log
cat >logrotate.conf <<END
$PWD/logs/daemon.log {
  rotate 1
  create 0644
  postrotate
    echo >$PWD/rotated
  endscript
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
  read -r _ <rotated
  reader
} &
wait $!
status=$?
wait
rm rotated
exit $status
