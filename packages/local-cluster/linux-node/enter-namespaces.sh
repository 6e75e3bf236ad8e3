#!/bin/sh
# First process of new network, mount and process namespaces. It hides the places of this machine that the programs of a
# Node write to, creates the network, runs a program in it, and ends. Everything else in the namespaces ends with it.
# usage: enter-namespaces.sh <folder> <address>… -- <program> [argument]…
set -eu
folder=$1
shift

for place in /run /var/lib /var/log; do
  mount -t tmpfs -o mode=755 none "$place"
done

# The kubelet writes these settings of the whole machine unless they have these values already.
mkdir "$folder/sysctl"
while read -r setting value; do
  echo "$value" >"$folder/sysctl/$setting"
  mount --bind "$folder/sysctl/$setting" "/proc/sys/$(echo "$setting" | tr . /)"
done <<'SETTINGS'
kernel.keys.root_maxbytes 25000000
kernel.keys.root_maxkeys 1000000
kernel.panic 10
kernel.panic_on_oops 1
vm.overcommit_memory 1
vm.panic_on_oom 0
SETTINGS

# A bridge without ports holds the addresses of everything outside the Pods. Some kernels have no dummy interfaces.
ip link set lo up
ip link add hosts0 type bridge
ip link set hosts0 up
while [ "$1" != -- ]; do
  ip address add "$1" dev hosts0
  shift
done
shift

# Not exec: the first process of a process namespace must reap orphans, which a shell does and Node does not.
code=0
"$@" || code=$?
exit "$code"
