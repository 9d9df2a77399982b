#!/bin/bash
# The same, but it waits: since bash 4.4, $! is the process substitution too.
bash -c 'printf "%s\n" b a > >(sleep 0.05; sort >sorted); wait $!'
sleep 0.2
read -r first <sorted || exit 1
echo "$first"
