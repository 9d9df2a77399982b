#!/bin/bash
# The same, but the script says which job it means.
(sleep 0.05) &
quick=$!
(sleep 0.2; exit 3) &
wait $quick
status=$?
wait
echo $status >status
exit "$(cat status)"
