# never-sleep [<record>]: disables sleep, screen lock and automatic logout for all power sources. As root.
# Records the settings before, once, for remove-access.sh; a VM image needs no record. Exits with the code of the first
# failed command; the settings before it are in effect.
set -eu
record=${1-}
if [ -n "$record" ] && [ ! -e "$record" ]; then
  mkdir -p "$(dirname "$record")"
  pmset -g custom | sed -nE 's/^ +(sleep|displaysleep|disksleep) +([0-9]+).*/\1 \2/p' >"$record.part"
  mv -f "$record.part" "$record"
fi
pmset -a sleep 0 displaysleep 0 disksleep 0
defaults write /Library/Preferences/com.apple.screensaver idleTime -int 0
defaults write /Library/Preferences/com.apple.screensaver askForPassword -int 0
defaults write /Library/Preferences/.GlobalPreferences com.apple.autologout.AutoLogOutDelay -int 0
