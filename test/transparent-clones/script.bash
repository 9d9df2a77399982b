# A bit of everything that bash does in its own code.
set -u
declare -A ages=([anna]=31 [bert]=27 [carl]=44)
declare -a words=(one two "three four" '*')
fib() { local n=$1; ((n < 2)) && { echo "$n"; return; }; echo $(($(fib $((n - 1))) + $(fib $((n - 2))))); }
echo "fib: $(fib 9)"
for name in $(printf '%s\n' "${!ages[@]}" | sort); do printf '%-6s|%3d\n' "$name" "${ages[$name]}"; done
for word in "${words[@]}"; do printf '<%s>' "$word"; done; echo
[[ "2026-11-16" =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})$ ]] && echo "${BASH_REMATCH[@]:1}"
text='the quick brown fox'
echo "${text^^}" "${text//o/0}" "${text:4:5}" "${#text}" "${text%% *}" "${text##* }"
sum=0; for ((i = 0; i < 2000; i++)); do ((sum += i * i % 7)); done; echo "sum $sum"
trap 'echo usr1' USR1; kill -USR1 $$; trap 'echo leaving $?' EXIT
while IFS=: read -r a b; do echo "$b-$a"; done < <(printf 'x:1\ny:2\n')
cat <<END | tr a-z A-Z
here is $text
END
(exit 5) || echo "subshell $?"
sleep 0 & wait $!; echo "waited $?"
mapfile -t lines < <(seq 1 50); echo "${lines[@]: -3}" "${#lines[@]}"
case $text in *quick*) echo case ;; esac
printf -v padded '%08.3f %x %q' 3.14159 255 "a b'c"; echo "$padded"
eval 'echo evaluated $((16#ff)) $((2**40))'
ls /no/such/file
echo "to stderr" >&2
no-such-command-here
f() { return 3; }; f
