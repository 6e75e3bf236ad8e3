# minifleet completion fish; where we know nothing, fish offers files.
complete -c minifleet -a '(minifleet __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
