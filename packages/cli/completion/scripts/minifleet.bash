# minifleet completion bash; without a candidate bash completes file names.
_minifleet() {
    local IFS=$'\n'
    # shellcheck disable=SC2207 # the candidates are lines, and mapfile is missing from the bash of macOS
    COMPREPLY=($(minifleet __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _minifleet minifleet
