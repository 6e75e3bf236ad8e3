# auto-login-session <user>: what launchd knows of the user's session at the screen. Changes nothing.
# Exits as launchctl does: 0 with a session, 125 without one.
set -eu
uid=$(id -u "$1")
exec launchctl print "gui/$uid"
