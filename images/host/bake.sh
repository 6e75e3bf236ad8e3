#!/bin/sh
# bake <runner|xcresult-processor> <base image, by digest> <vm> [<argument of packer build>]...
# Leaves a stopped VM. Installs and upgrades nothing on the host: another Packer has another signature and loses the
# Local Network permission (I26). Exits with Packer's exit code.
set -eu
image=$1 base=$2 vm=$3
shift 3
here=$(dirname "$0")
template=$here/../macos.pkr.hcl
# shellcheck source=host/watched.sh
. "$here/watched.sh"
log=$(mktemp)
trap 'rm -f "$log" "$log.code"' EXIT

packer init "$template"
code=0
watched "$log" packer build -color=false -only="macos.tart-cli.$image" -var-file="$here/../versions.pkrvars.hcl" \
  -var "base_image=$base" -var "vm_name=$vm" "$@" "$template" || code=$?
if [ "$code" -ne 0 ]; then
  if grep -q 'Timeout waiting for SSH' "$log"; then
    echo 'Packer could not reach its own guest: the Local Network permission is not in effect on this host.' >&2
    echo 'See docs/vm-image-builder.md, "Waiting for SSH"; baking again does not help.' >&2
  fi
  exit "$code"
fi

# Plugin 1.20.0 left a VM without its NVRAM, which Tart then does not list. The NVRAM of the base image is the same.
bundle=${TART_HOME:-$HOME/.tart}/vms/$vm
if [ ! -f "$bundle/nvram.bin" ]; then
  echo "$vm has no nvram.bin; copying the one of its base image" >&2
  tart clone "$base" "$vm-nvram"
  cp "${bundle}-nvram/nvram.bin" "$bundle/nvram.bin"
  tart delete "$vm-nvram"
fi
