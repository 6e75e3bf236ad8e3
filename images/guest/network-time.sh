# network-time: the guest's clock follows the network. As root.
# A job's tokens and certificates are judged by it.
set -eu
systemsetup -setnetworktimeserver time.apple.com
systemsetup -setusingnetworktime on
