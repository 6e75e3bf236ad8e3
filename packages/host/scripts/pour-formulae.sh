# pour-formulae <record> (<install|replace|pin|unpin|uninstall> <formula>)…
# As the Homebrew user. Installs are recorded before they happen, so that an interrupted run is not forgotten.
# Exits with the code of brew; a formula whose replacement fails keeps its pin.
set -eu
brew=/opt/homebrew/bin/brew record=$1
shift
# Only the named formulae may change, and only as requested.
export HOMEBREW_NO_AUTO_UPDATE=1 HOMEBREW_NO_INSTALL_UPGRADE=1 HOMEBREW_NO_ENV_HINTS=1 HOMEBREW_NO_ANALYTICS=1

recorded() { [ -f "$record" ] && grep -qxF "$1" "$record"; }
remember() { if ! recorded "$1"; then printf '%s\n' "$1" >>"$record"; fi; }
forget() {
  if recorded "$1"; then
    if grep -vxF "$1" "$record" >"$record.part"; then mv -f "$record.part" "$record"; else rm -f "$record" "$record.part"; fi
  fi
}
pinned() { "$brew" list --pinned --formula | grep -qxF "$1"; }

replace() {
  if ! pinned "$name"; then
    "$brew" reinstall --formula "$formula"
    return
  fi
  # brew does not reinstall a pinned formula.
  "$brew" unpin "$name"
  if ! "$brew" reinstall --formula "$formula"; then
    "$brew" pin "$name"
    exit 1
  fi
}

while [ $# -gt 0 ]; do
  action=$1 formula=$2 name=${2##*/}
  shift 2
  case $action in
    install)
      remember "installed $name"
      "$brew" install --formula "$formula"
      ;;
    replace) replace ;;
    pin)
      if ! pinned "$name"; then remember "pinned $name"; fi
      "$brew" pin "$name"
      ;;
    unpin)
      "$brew" unpin "$name"
      forget "pinned $name"
      ;;
    uninstall)
      "$brew" uninstall --force --formula "$name"
      forget "installed $name"
      forget "pinned $name"
      ;;
    *) exit 64 ;;
  esac
done
