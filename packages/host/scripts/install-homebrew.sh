# install-homebrew <installer> <user>: runs Homebrew's install script as the user, then removes the script.
# As root; the install script refuses to run as root and calls sudo itself. Exits with its code.
set -eu
installer=$1 user=$2
cd /
sudo -n -H -u "$user" /usr/bin/env NONINTERACTIVE=1 /bin/bash "$installer"
rm -f "$installer" "$installer.origin"
