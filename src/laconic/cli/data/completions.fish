function __laconic_at
    set -l seen
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word @all@
            set skip 1
        else if not string match -q -- '-*' $word
            set -a seen $word
        end
    end
    test "$seen" = "$argv"
end
function __laconic_in
    set -l seen (string match --invert -- '-*' (commandline -opc)[2..])
    for path in $argv
        set -l length (count (string split ' ' -- $path))
        test "$seen[1..$length]" = "$path"; and return 0
    end
    return 1
end
function __laconic_command
    set -l words (commandline -opc)[3..]
    while set -q words[1]; and string match -q -- '-*' $words[1]
        contains -- $words[1] @taking@; and set -e words[1]
        set -e words[1]
    end
    if not set -q words[1]; and string match -q -- '-*' (commandline -ct)
        return
    end
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end
function __laconic_values
    set -l program (commandline -opc)[1]
    $program completions --values $argv 2>/dev/null
end
