# remove-access <user> <state folder>: removes what prepare-fleet-host set up, the last of Minifleet on a Mac. As root.
# Restores the recorded names and sleep settings, and removes auto-login of this user, the keys of fleets, the state
# folder, empty folders of removed programs, and finally the sudo rule: until then an interrupted run can be repeated.
# The GUI session continues.
set -eu
user=$1 state=$2
home=/Users/$user

# forget <domain> <key>: a domain without keys is removed with its file.
forget() {
  if defaults read "$1" "$2" >/dev/null 2>&1; then defaults delete "$1" "$2"; fi
  tidy "$1"
}
tidy() {
  if [ -f "$1.plist" ] && ! defaults read "$1" >/dev/null 2>&1; then rm -f "$1.plist"; fi
}

if [ -f "$state/before-names" ]; then
  # An empty name removes the setting.
  for kind in HostName LocalHostName ComputerName; do
    read -r name || name=
    if [ -n "$name" ] || [ "$kind" = HostName ]; then scutil --set "$kind" "$name"; fi
  done <"$state/before-names"
fi
if [ -f "$state/before-sleep" ]; then
  while read -r setting value; do pmset -a "$setting" "$value"; done <"$state/before-sleep"
  forget /Library/Preferences/com.apple.screensaver idleTime
  forget /Library/Preferences/com.apple.screensaver askForPassword
  forget /Library/Preferences/.GlobalPreferences com.apple.autologout.AutoLogOutDelay
fi

window=/Library/Preferences/com.apple.loginwindow
if [ "$(defaults read "$window" autoLoginUser 2>/dev/null)" = "$user" ]; then
  forget "$window" autoLoginUser
  rm -f /etc/kcpassword
fi

# Kept by local-network.sh, because its age says whether a boot is pending.
tidy /var/root/Library/Preferences/com.apple.network.local-network

keys=$home/.ssh/authorized_keys
if [ -f "$keys" ] && grep -q ' (minifleet)$' "$keys"; then
  part=$(mktemp "$keys.minifleet-part.XXXXXX")
  if grep -v ' (minifleet)$' "$keys" >"$part"; then
    chmod 600 "$part"
    chown "$user:staff" "$part"
    mv -f "$part" "$keys"
  else
    # It held nothing else.
    rm -f "$part" "$keys"
  fi
fi

rm -rf "$state"
for folder in /usr/local/bin /usr/local/lib /usr/local/libexec /var/lib; do
  if rmdir "$folder" 2>/dev/null; then :; fi
done
# sudo ignores files with a dot in their name.
rm -f "/etc/sudoers.d/$(echo "$user" | tr . _)-nopasswd"
