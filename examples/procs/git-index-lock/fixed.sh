#!/bin/sh
# The same, but the commands take turns.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
mkdir -p repository/.git/objects repository/.git/refs
cd repository
echo 'ref: refs/heads/main' >.git/HEAD
empty=e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
git read-tree --empty

flock lock git update-index --add --cacheinfo 100644,$empty,one &
{
  sleep 0.2
  flock lock git update-index --add --cacheinfo 100644,$empty,two
} &
wait $!
status=$?
wait
git ls-files
cd ..
rm -rf repository
exit $status
