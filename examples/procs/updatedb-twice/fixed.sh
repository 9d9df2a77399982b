#!/bin/sh
# The same, but each run holds a lock.
mkdir tree
touch tree/one tree/two

update() {
  flock lock \
    updatedb --localpaths="$PWD/tree" --netpaths= --prunepaths= --prunefs= --output=locatedb
}
update &
{
  sleep 0.2
  update
} &
wait
locate --database=locatedb one
