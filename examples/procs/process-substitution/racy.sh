#!/bin/bash
# bash does not wait for a process substitution: it ends while sort is still at work. In the bad order,
# who reads 'sorted' finds no file, or an empty one, and fails.
bash -c 'printf "%s\n" b a > >(sleep 0.05; sort >sorted)'
sleep 0.2
read -r first <sorted || exit 1
echo "$first"
