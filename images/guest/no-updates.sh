# no-updates: turns off system updates, downloads of updates and disk indexing during jobs. As root.
set -eu
for key in AutomaticCheckEnabled AutomaticDownload AutomaticallyInstallMacOSUpdates CriticalUpdateInstall; do
  defaults write /Library/Preferences/com.apple.SoftwareUpdate "$key" -bool false
done
defaults write /Library/Preferences/com.apple.commerce AutoUpdate -bool false
mdutil -a -i off
