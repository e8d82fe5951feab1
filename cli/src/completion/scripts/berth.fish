# Completion of berth for fish.

function __berth_complete
    set -l words (commandline -opc)
    # The last word is as it was typed.
    set -l last (commandline -ct | string replace -ra '[\\\\"\']' '')
    berth complete -- $words[2..-1] "$last" 2>/dev/null
end

complete -c berth -e
complete -c berth -f -a '(__berth_complete)'
