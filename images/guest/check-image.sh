# check-image: checks everything that a Pod of IMAGE relies on, for ACCOUNT. As that account. Lists all that is missing, and exits with 1.
set -eu
missing=0
lacks() {
  echo "$IMAGE: $1" >&2
  missing=1
}
sudo -n true 2>/dev/null || lacks 'sudo asks for a password'
user=$(defaults read /Library/Preferences/com.apple.loginwindow autoLoginUser 2>/dev/null) || user='no user'
[ "$user" = "$ACCOUNT" ] || lacks "the boot logs in $user, expected $ACCOUNT"
# <sealed>, encoded like the file: macOS overwrites a wrong password with it.
[ "$(sudo -n head -c 8 /etc/kcpassword 2>/dev/null | xxd -p)" != 41fa3742bed9b9d4 ] ||
  lacks 'macOS has sealed the auto-login password'
[ -x /usr/local/bin/tart-guest-agent ] || lacks 'the Tart guest agent is missing'
[ -f /Library/LaunchAgents/org.cirruslabs.tart-guest-agent.plist ] || lacks 'nothing starts the guest agent'
case $IMAGE in
  runner) [ -x "$HOME/actions-runner/run.sh" ] || lacks 'the runner in ~/actions-runner is missing' ;;
  xcresult-processor) [ -x /opt/xcresult-processor/bin/start ] || lacks 'the processor is missing' ;;
esac
exit "$missing"
