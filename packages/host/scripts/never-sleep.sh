# never-sleep: disables sleep, screen lock and automatic logout for all power sources. As root.
# Exits with the code of the first failed command; the settings before it are in effect.
set -eu
pmset -a sleep 0 displaysleep 0 disksleep 0
defaults write /Library/Preferences/com.apple.screensaver idleTime -int 0
defaults write /Library/Preferences/com.apple.screensaver askForPassword -int 0
defaults write /Library/Preferences/.GlobalPreferences com.apple.autologout.AutoLogOutDelay -int 0
