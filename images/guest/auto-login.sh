# auto-login: the boot logs ACCOUNT in to the GUI session, with PASSWORD. As root.
# The guest agent is a launchd job of that session: without it no command of a Pod starts.
set -eu
printf '%s' "$PASSWORD" | /bin/sh /tmp/kcpassword.sh >/etc/kcpassword
chown root:wheel /etc/kcpassword
chmod 0600 /etc/kcpassword
defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser "$ACCOUNT"
