# auto-login-restart <user> <seconds>: restarts the login window unless the user has a session, and waits for one.
# As root. Prints `alive` if there was a session and nothing was touched, `restarted` otherwise.
# Exits 82 if the login window sealed the password, 83 if there is no session after that many seconds.
set -eu
user=$1 left=$2
uid=$(id -u "$user")

session() { launchctl print "gui/$uid" 2>/dev/null | grep -q 'session = Aqua'; }
# <sealed> in the encoding of the file.
sealed() { [ "$(head -c 8 /etc/kcpassword | xxd -p)" = 41fa3742bed9b9d4 ]; }

# Checked here and not by the caller: a session that started in between is never ended, because it may have running VMs.
if session; then
  echo alive
  exit 0
fi
# Through launchd, which also starts a login window that is gone; a SIGHUP would find no process, and leaves none.
launchctl kickstart -k system/com.apple.loginwindow
while [ "$left" -gt 0 ]; do
  sleep 1
  if session; then
    echo restarted
    exit 0
  fi
  if sealed; then exit 82; fi
  left=$((left - 1))
done
exit 83
