# watched <log> <command> [<argument>]...: to be sourced. Runs a command, shows what it says on stderr as it says it and
# keeps it in <log>; the command's own exit code is the function's, which a plain pipe into tee would lose.
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
