# check-image: what a Pod of IMAGE relies on is there, for ACCOUNT. As that account; says all that is missing, and exits 1.
set -eu
missing=0
lacks() {
  echo "$IMAGE: $1" >&2
  missing=1
}
sudo -n true 2>/dev/null || lacks 'sudo asks for a password'
user=$(defaults read /Library/Preferences/com.apple.loginwindow autoLoginUser 2>/dev/null) || user=nobody
[ "$user" = "$ACCOUNT" ] || lacks "$user is logged in at the screen by the boot, wanted $ACCOUNT"
# <sealed>, encoded as the file is: macOS puts it over a password that turned out wrong.
[ "$(sudo -n head -c 8 /etc/kcpassword 2>/dev/null | xxd -p)" != 41fa3742bed9b9d4 ] ||
  lacks 'macOS has sealed the password of the automatic login'
[ -x /usr/local/bin/tart-guest-agent ] || lacks 'there is no Tart guest agent'
[ -f /Library/LaunchAgents/org.cirruslabs.tart-guest-agent.plist ] || lacks 'nothing starts the guest agent'
case $IMAGE in
  runner) [ -x "$HOME/actions-runner/run.sh" ] || lacks 'there is no runner to start in ~/actions-runner' ;;
  xcresult-processor) [ -x /opt/xcresult-processor/bin/start ] || lacks 'there is no processor to start' ;;
esac
exit "$missing"
