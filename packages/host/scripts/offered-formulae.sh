# offered-formulae <formula>…: adds their taps and prints the offered versions as JSON.
# As the Homebrew user. Exits with the code of brew.
set -eu
brew=/opt/homebrew/bin/brew
"$brew" update >&2
for formula in "$@"; do
  case $formula in
    */*/*) "$brew" tap "${formula%/*}" >&2 ;;
  esac
done
"$brew" info --json=v2 --formula "$@"
