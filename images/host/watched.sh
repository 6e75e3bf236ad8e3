# watched <log> <command> [<argument>]...: to be sourced. Runs a command, copies its output to stderr and to <log>, and
# returns its exit code, which a plain pipe into tee would lose.
watched() {
  watched_log=$1
  shift
  {
    watched_code=0
    "$@" 2>&1 || watched_code=$?
    echo "$watched_code" >"$watched_log.code"
  } | tee "$watched_log" >&2
  return "$(cat "$watched_log.code")"
}
