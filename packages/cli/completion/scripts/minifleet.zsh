#compdef minifleet
# minifleet completion zsh; without a candidate zsh completes file names.
_minifleet() {
    local -a found
    found=(${(f)"$(minifleet __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ${#found} )); then compadd -a found; else _files; fi
}
compdef _minifleet minifleet
