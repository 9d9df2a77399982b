#!/bin/sh
# Two git commands change the index at once. git makes a lock file, and does not wait if there is one.
# In the bad order, the second command says so and fails.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
git init -q --template= repository
cd repository
echo 1 >one
echo 2 >two

git add one &
{
  sleep 0.1
  git add two
} &
wait $!
status=$?
wait
git ls-files
cd ..
rm -rf repository
exit $status
