# agent-credentials-rights <path> <mode> <owner>
# Gives a file its owner and mode, and leaves what it holds.
set -eu
# The mode first: a file others can read is closed before it changes hands.
chmod "$2" "$1"
chown "$3" "$1"
