# passwordless-sudo: ACCOUNT becomes root without a password, as on GitHub's own machines. As root.
# A VM serves one job and is thrown away, so nothing is gained by asking.
set -eu
file=/etc/sudoers.d/$ACCOUNT-nopasswd
part=$(mktemp)
trap 'rm -f "$part"' EXIT
printf '%s ALL=(ALL) NOPASSWD: ALL\n' "$ACCOUNT" >"$part"
# A broken file in this folder locks everybody out of sudo.
visudo -cf "$part"
mkdir -p /etc/sudoers.d
install -m 0440 -o root -g wheel "$part" "$file"
