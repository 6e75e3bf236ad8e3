# authorize-key <line>: lets the owner of a key log in as this account. Not as root.
# sshd ignores the file if others can write it or its folder.
set -eu
mkdir -p "$HOME/.ssh"
chmod 700 "$HOME/.ssh"
file=$HOME/.ssh/authorized_keys
# Parts of killed runs are removed first; a run that is still alive finds its part gone and gives up.
rm -f "$file".minifleet-part.??????
part=$(mktemp "$file.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
if [ -f "$file" ]; then cat "$file" >"$part"; fi
# The last line may have no newline, and the key would then become a part of it.
if [ -n "$(tail -c 1 "$part")" ]; then echo >>"$part"; fi
printf '%s\n' "$1" >>"$part"
chmod 600 "$part"
mv -f "$part" "$file"
