# holds-artifact <target> <sha256>: succeeds if upload.sh wrote this content and it is unchanged.
[ -f "$1" ] && [ "$(cat "$1.origin" 2>/dev/null)" = "$2 $(shasum -a 256 <"$1")" ]
