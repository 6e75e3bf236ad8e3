# look argv…: runs the commands that follow on standard input, one per line, after a first line that sets $mark.
# Ends the output of each with an unguessable mark and its exit code, so that the caller can split both streams.
# Uses no temporary file, so it works on a full disk.
answered() {
  # shellcheck disable=SC2154 # the caller's first line sets it
  printf '\n%s %s\n' "$mark" "$1"
  printf '\n%s\n' "$mark" >&2
}
look() {
  "$@" </dev/null
  answered "$?"
}
