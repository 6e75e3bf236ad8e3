# never-sleep: no sleep, no lock and no logout, whatever the Mac is powered by. As root.
# Exits with the code of the first command that fails; those before it are in force.
set -eu
pmset -a sleep 0 displaysleep 0 disksleep 0
defaults write /Library/Preferences/com.apple.screensaver idleTime -int 0
defaults write /Library/Preferences/com.apple.screensaver askForPassword -int 0
defaults write /Library/Preferences/.GlobalPreferences com.apple.autologout.AutoLogOutDelay -int 0
