#!/bin/sh
# updatedb runs twice at once. Each time it writes locatedb.n, looks whether there is something in it,
# and renames it to locatedb: the one takes the other's file away, or empties it after the look. In
# the bad order, mv says that there is no locatedb.n, updatedb that it would be empty, or locate that there is
# no locatedb.
mkdir tree
touch tree/one tree/two

update() {
  updatedb --localpaths="$PWD/tree" --netpaths= --prunepaths= --prunefs= --output=locatedb
}
update &
{
  sleep 0.2
  update
} &
wait
locate --database=locatedb one
