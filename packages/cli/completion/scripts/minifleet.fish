# minifleet completion fish; without a candidate fish completes file names.
complete -c minifleet -a '(minifleet __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
