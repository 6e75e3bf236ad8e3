#!/bin/bash
# run.sh of the Actions runner, as a guest of the world has it: what it prints, when it ends, and what a signal does.
here=$(cd "$(dirname "$0")" && pwd)
export WORLD_RUNNER_ROOT="$here"

# Forwards SIGINT and SIGTERM to the listener only if RUNNER_MANUALLY_TRAP_SIG is set. Without it SIGTERM ends only this shell;
# the listener continues and keeps the output open.
listen() {
  if [ -z "$RUNNER_MANUALLY_TRAP_SIG" ]; then
    "$here/bin/Runner.Listener" run "$@"
    return
  fi
  "$here/bin/Runner.Listener" run "$@" &
  listener=$!
  trap 'told=yes; kill -INT $listener' INT TERM
  # A signal cuts the wait short: then the code is not yet the listener's.
  while :; do
    told=no
    wait $listener
    code=$?
    [ $told = yes ] || return $code
  done
}

listen "$@"
code=$?
case $code in
  0) echo 'Runner listener exit with 0 return code, stop the service, no retry needed.' ;;
  1) echo 'Runner listener exit with terminated error, stop the service, no retry needed.' ;;
  5) echo 'Runner listener exit with Session Conflict error, stop the service, no retry needed.' ;;
  7) echo 'Runner listener exit with deprecated version error, stop the service, no retry needed.' ;;
  *) echo "Exiting with unknown error code: $code" ;;
esac
echo 'Exiting runner...'
# Only this code leaves run.sh (actions/runner#4285).
[ $code -ne 7 ] || exit 7
exit 0
