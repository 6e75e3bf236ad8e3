# auto-login-session <user>: prints the GUI session of the user. Read-only.
# Exits like launchctl: 0 with a session, 125 without one.
set -eu
uid=$(id -u "$1")
exec launchctl print "gui/$uid"
