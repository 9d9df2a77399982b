#!/bin/sh
# The same, but SQLite makes the copy: it waits for transactions to end, on slow machines too. The time to wait
# comes first: whatever is done before it, even the setting of an option, fails if the database is locked.
sql() {
  sqlite3 -cmd '.timeout 20000' -cmd 'PRAGMA synchronous = OFF' "$@"
}
sql data.db 'CREATE TABLE person (name UNIQUE); INSERT INTO person VALUES (1);'

sql data.db 'INSERT INTO person VALUES (2);' &
{
  sleep 0.2
  sql data.db '.backup copy.db'
} &
wait
sql copy.db 'PRAGMA integrity_check' >result
grep -q ok result
