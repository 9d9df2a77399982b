#!/bin/sh
# A file is replaced by one from another file system. There mv cannot rename: it removes the old file,
# creates the new one and fills it. In the bad order, who reads finds no file, or an empty one, and
# fails.
folder=/dev/shm/deadheat-$$
mkdir "$folder"
echo new >"$folder/settings"
echo old >settings

mv "$folder/settings" settings &
{
  sleep 0.1
  read -r value <settings && echo "$value"
} &
wait $!
status=$?
wait
rmdir "$folder"
exit $status
