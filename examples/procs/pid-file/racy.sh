#!/bin/sh
# A daemon looks whether there is a pid file, and writes it if not. It is started twice at once. In the
# bad order, both look before either writes, and both run: the log has two lines.
daemon() {
  [ -e pid ] && return
  echo running >pid
  echo started >>log
}

daemon &
{
  sleep 0.1
  daemon
} &
wait
cat log
