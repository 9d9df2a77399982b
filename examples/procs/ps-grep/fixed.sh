#!/bin/sh
# The same, but ps has ended before grep starts.
ps -e -o args >processes
if grep -q licq-for-kde processes; then
  echo 'licq: KDE is running' >&2
  exit 1
fi
rm processes
echo 'licq: KDE is not running'
