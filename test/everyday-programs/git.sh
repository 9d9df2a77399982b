# git starts others of its kind, renames files into place, and locks what it changes.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b one .
echo one >one && git add one && git commit -qm one
git checkout -q -b two && echo two >two && git add two && git commit -qm two
git log --oneline | cat
git gc -q
git clone -q . clone
