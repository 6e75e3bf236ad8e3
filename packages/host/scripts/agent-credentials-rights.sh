# agent-credentials-rights <path> <mode> <owner>
# Sets owner and mode of a file and keeps its content.
set -eu
# Mode first: a file that others can read is protected before its owner changes.
chmod "$2" "$1"
chown "$3" "$1"
