# local-network [<network> ...]: sets the networks that every program may reach, or removes the lists without arguments.
# As root: macOS reads root's preferences at boot. Exits with the code of the first failed command.
set -eu
domain=com.apple.network.local-network
for key in AllowedEthernetLocalNetworkAddresses AllowedWiFiLocalNetworkAddresses; do
  if [ $# -gt 0 ]; then
    defaults write "$domain" "$key" -array "$@"
  elif defaults read "$domain" "$key" >/dev/null 2>&1; then
    defaults delete "$domain" "$key"
  fi
done
