# agent-binary-tidy <desired slot>
# Removes agent programs that are neither running, previous nor desired, and files of interrupted uploads.
# A desired program with a broken signature loses its record, so that it is uploaded again. Prints the removed slots.
set -eu
home=/usr/local/lib/tart-kubelet
[ -d "$home" ] || exit 0
desired=$home/$1/tart-kubelet
if [ -f "$desired" ] && ! codesign --verify "$desired"; then rm -f "$desired.origin"; fi
current=$(readlink "$home/current") || current=
previous=$(readlink "$home/previous") || previous=
for path in "$home"/*; do
  slot=${path##*/}
  # Links and records are kept; only directories are slots.
  if [ -L "$path" ] || [ ! -d "$path" ]; then continue; fi
  case $slot in
    "$1" | "$current" | "$previous") rm -f "$path"/tart-kubelet.minifleet-part.?????? ;;
    *)
      rm -rf "$path"
      echo "$slot"
      ;;
  esac
done
