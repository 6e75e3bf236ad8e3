# offered-formulae <formula>…: adds the taps they come from and says, as JSON, what each offers now.
# As the user brew belongs to. Exits as brew does.
set -eu
brew=/opt/homebrew/bin/brew
"$brew" update >&2
for formula in "$@"; do
  case $formula in
    */*/*) "$brew" tap "${formula%/*}" >&2 ;;
  esac
done
"$brew" info --json=v2 --formula "$@"
