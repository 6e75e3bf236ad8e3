# passwordless-sudo: ACCOUNT can use sudo without a password, as on GitHub-hosted runners. As root.
# A VM runs one job and is deleted, so a password would protect nothing.
set -eu
file=/etc/sudoers.d/$ACCOUNT-nopasswd
part=$(mktemp)
trap 'rm -f "$part"' EXIT
printf '%s ALL=(ALL) NOPASSWD: ALL\n' "$ACCOUNT" >"$part"
# An invalid file in this folder disables sudo for every user.
visudo -cf "$part"
mkdir -p /etc/sudoers.d
install -m 0440 -o root -g wheel "$part" "$file"
