# local-network [<network> ...]: makes these the networks every program may reach, or takes the lists off when none is
# given. As root: macOS reads root's own preferences, at boot. Exits with the code of the first command that fails.
set -eu
domain=com.apple.network.local-network
for key in AllowedEthernetLocalNetworkAddresses AllowedWiFiLocalNetworkAddresses; do
  if [ $# -gt 0 ]; then
    defaults write "$domain" "$key" -array "$@"
  elif defaults read "$domain" "$key" >/dev/null 2>&1; then
    defaults delete "$domain" "$key"
  fi
done
