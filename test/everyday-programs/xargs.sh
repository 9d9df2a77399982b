# Four jobs at a time, each with a file of its own.
mkdir files
for number in 1 2 3 4 5 6; do echo $number >files/$number; done
ls files/* | xargs -P4 -n1 gzip
