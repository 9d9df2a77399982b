#!/bin/sh
# The same, but the new file is brought into the same folder first: then mv renames it in one step.
folder=/dev/shm/deadheat-$$
mkdir "$folder"
echo new >"$folder/settings"
echo old >settings

mv "$folder/settings" settings.new && mv settings.new settings &
{
  sleep 0.1
  read -r value <settings && echo "$value"
} &
wait $!
status=$?
wait
rmdir "$folder"
exit $status
