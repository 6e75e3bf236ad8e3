# kcpassword: reads a password from standard input and writes it in the format of /etc/kcpassword.
set -eu
# The same key on every Mac: it is part of the format and protects nothing.
set -- 7d 89 52 23 d2 bc dd ea a3 b9 1f
plain=$(xxd -p | tr -d '\n')00
# Padded with at least one NUL to a multiple of the key's length.
while [ $((${#plain} % 22)) -ne 0 ]; do plain=${plain}00; done
encoded=
while [ -n "$plain" ]; do
  rest=${plain#??}
  encoded=$encoded$(printf '%02x' "$((0x${plain%"$rest"} ^ 0x$1))")
  plain=$rest
  set -- "$@" "$1"
  shift
done
printf '%s' "$encoded" | xxd -r -p
