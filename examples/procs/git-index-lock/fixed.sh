#!/bin/sh
# The same, but the commands take turns.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
git init -q --template= repository
cd repository
echo 1 >one
echo 2 >two

flock lock git add one &
{
  sleep 0.1
  flock lock git add two
} &
wait $!
status=$?
wait
git ls-files
cd ..
rm -rf repository
exit $status
