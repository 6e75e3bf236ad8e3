# auto-login: ACCOUNT is logged in at the screen when the guest boots, with PASSWORD. As root.
# The guest agent is a job of that session: without it no Pod's command ever starts.
set -eu
printf '%s' "$PASSWORD" | /bin/sh /tmp/kcpassword.sh >/etc/kcpassword
chown root:wheel /etc/kcpassword
chmod 0600 /etc/kcpassword
defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser "$ACCOUNT"
