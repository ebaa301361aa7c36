# fish completion of tmap: `tmap complete` prints the words, and fails if names of files fit as well.
function __tmap_words
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    set -l words (tmap complete $before[2..] $current 2>/dev/null)
    if test $status -eq 1
        set -a words (__fish_complete_path (string replace -- "$prefix" '' $current))
    end
    string replace -r -- '^' "$prefix" $words
end

complete -c tmap -f -a '(__tmap_words)'
