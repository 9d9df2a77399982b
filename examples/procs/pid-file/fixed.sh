#!/bin/sh
# The same, but the pid file is made and looked for in one step: with -C, the shell creates files only.
daemon() {
  (set -C; echo running >pid) 2>/dev/null || return 0
  echo started >>log
}

daemon &
{
  sleep 0.1
  daemon
} &
wait
cat log
