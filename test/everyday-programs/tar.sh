# One tar packs what another unpacks elsewhere.
mkdir from to
for number in 1 2 3 4 5; do echo $number >from/$number; done
tar c from | tar x -C to
cmp from/3 to/from/3
