# no-updates: nothing in the guest changes the system, fetches updates or indexes the disk behind a job's back. As root.
set -eu
for key in AutomaticCheckEnabled AutomaticDownload AutomaticallyInstallMacOSUpdates CriticalUpdateInstall; do
  defaults write /Library/Preferences/com.apple.SoftwareUpdate "$key" -bool false
done
defaults write /Library/Preferences/com.apple.commerce AutoUpdate -bool false
mdutil -a -i off
