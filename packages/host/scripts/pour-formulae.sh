# pour-formulae <record> (<install|upgrade|pin|keep|unpin|uninstall> <formula>)…
# As the Homebrew user. Installs are recorded before they happen, so that an interrupted run is not forgotten.
# `keep` pins the version that another process installed. Exits with the code of brew; a formula whose upgrade fails keeps its pin.
set -eu
brew=/opt/homebrew/bin/brew record=$1
shift
# Only the named formulae may change, and only as requested.
export HOMEBREW_NO_AUTO_UPDATE=1 HOMEBREW_NO_INSTALL_UPGRADE=1 HOMEBREW_NO_ENV_HINTS=1 HOMEBREW_NO_ANALYTICS=1

recorded() { [ -f "$record" ] && grep -qxF "$1" "$record"; }
remember() { if ! recorded "$1"; then printf '%s\n' "$1" >>"$record"; fi; }
# Removes the lines that match a pattern of grep, and the record with its last line.
forget() {
  [ -f "$record" ] || return 0
  if grep -v "$@" "$record" >"$record.part"; then mv -f "$record.part" "$record"; else rm -f "$record" "$record.part"; fi
}
forget_line() { forget -xF "$1"; }
forget_version() { forget "^version $name "; }
# The version at the time of the pin: another one was installed by another process.
remember_version() {
  forget_version
  printf 'version %s\n' "$("$brew" list --versions --formula "$name")" >>"$record"
}
pinned() { "$brew" list --pinned --formula | grep -qxF "$1"; }

# brew upgrade refuses a pinned formula, and reinstall takes the version that the tap offers. The new version is recorded with its pin.
upgrade() {
  forget_version
  if ! pinned "$name"; then
    "$brew" reinstall --formula "$formula"
    return
  fi
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
    upgrade) upgrade ;;
    pin | keep)
      if ! pinned "$name"; then remember "pinned $name"; fi
      "$brew" pin "$name"
      remember_version
      ;;
    unpin)
      "$brew" unpin "$name"
      forget_line "pinned $name"
      forget_version
      ;;
    uninstall)
      "$brew" uninstall --force --formula "$name"
      forget_line "installed $name"
      forget_line "pinned $name"
      forget_version
      ;;
    *) exit 64 ;;
  esac
done
