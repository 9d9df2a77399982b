#!/bin/sh
# A script asks 'ps | grep NAME' whether NAME runs. Both run at once, and the name is among grep's
# arguments too. In the bad order, ps sees grep, and the answer is yes though there is no NAME.
if ps -e -o args | { sleep 0.2; exec grep -q licq-for-kde; }; then
  echo 'licq: KDE is running' >&2
  exit 1
fi
echo 'licq: KDE is not running'
