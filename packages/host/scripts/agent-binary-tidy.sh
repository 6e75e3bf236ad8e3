# agent-binary-tidy <wanted slot>
# Removes the agent's programs that neither run, nor ran before, nor are wanted, and what an interrupted upload left.
# A wanted program whose signature is broken loses its record, so that it is sent again. Says the name of each slot it
# removed.
set -eu
home=/usr/local/lib/tart-kubelet
[ -d "$home" ] || exit 0
wanted=$home/$1/tart-kubelet
if [ -f "$wanted" ] && ! codesign --verify "$wanted"; then rm -f "$wanted.origin"; fi
current=$(readlink "$home/current") || current=
previous=$(readlink "$home/previous") || previous=
for path in "$home"/*; do
  slot=${path##*/}
  # Links and records stay; only folders are slots.
  if [ -L "$path" ] || [ ! -d "$path" ]; then continue; fi
  case $slot in
    "$1" | "$current" | "$previous") rm -f "$path"/tart-kubelet.minifleet-part.?????? ;;
    *)
      rm -rf "$path"
      echo "$slot"
      ;;
  esac
done
