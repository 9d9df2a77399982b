# Writers of one database, in order by its own locks. Before it takes any, sqlite3 asks for the
# file's state by its name and reads its first bytes: that is in no order with the others' writes.
# Readers look for a journal that a writer may be making at that moment, and then at its lock.
sqlite3 db 'create table numbers (number)'
for number in 1 2 3; do
  sqlite3 -cmd '.timeout 30000' db "insert into numbers values ($number)" &
done
wait
test "$(sqlite3 db 'select sum(number) from numbers')" = 6
