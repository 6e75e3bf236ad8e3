# guest-dhcp-lease <property list> <seconds | absent>: sets the DHCP lease of guests, or the macOS default. As root.
# Keeps all other keys, and removes a file without keys. Prints the name of a backup it made. Exits with the code of the first failed command; the file is
# then unchanged.
set -eu
file=$1 lease=$2
mkdir -p "$(dirname "$file")"
# Parts of killed runs; a run that is still alive finds its part gone and gives up.
rm -f "$file".minifleet-part.??????
part=$(mktemp "$file.minifleet-part.XXXXXX")
trap 'rm -f "$part"' EXIT
if plutil -lint "$file" >/dev/null 2>&1; then
  cp "$file" "$part"
else
  if [ -f "$file" ]; then
    cp "$file" "$file.damaged"
    echo "kept the unreadable file as $file.damaged"
  fi
  echo '{}' | plutil -convert xml1 -o "$part" -
fi
# On a copy, with plutil: `defaults` can neither remove a key without touching the rest of the dictionary, nor replace the
# file atomically.
if [ "$lease" = absent ]; then
  plutil -remove bootpd.DHCPLeaseTimeSecs "$part"
  if [ -z "$(plutil -extract bootpd raw -o - "$part")" ]; then plutil -remove bootpd "$part"; fi
  if [ "$(plutil -convert json -o - "$part")" = '{}' ]; then
    rm -f "$file"
    exit
  fi
else
  plutil -extract bootpd raw -o - "$part" >/dev/null 2>&1 || plutil -replace bootpd -json '{}' "$part"
  plutil -replace bootpd.DHCPLeaseTimeSecs -integer "$lease" "$part"
fi
chown root:wheel "$part"
chmod 0644 "$part"
mv -f "$part" "$file"
