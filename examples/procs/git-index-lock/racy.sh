#!/bin/sh
# Two git commands change the index at once. git makes a lock file, and does not wait if there is one.
# In the bad order, the second command says so and fails.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
mkdir -p repository/.git/objects repository/.git/refs
cd repository
echo 'ref: refs/heads/main' >.git/HEAD
empty=e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
git read-tree --empty

git update-index --add --cacheinfo 100644,$empty,one &
{
  sleep 0.2
  git update-index --add --cacheinfo 100644,$empty,two
} &
wait $!
status=$?
wait
git ls-files
cd ..
rm -rf repository
exit $status
