#!/bin/bash
# A script starts two jobs, and takes the first one that ends to be the quick one. In the bad order, it
# is the other one, and the script's status is 3.
(sleep 0.05) &
(sleep 0.2; exit 3) &
wait -n
echo $? >status
wait
exit "$(cat status)"
