# bash completion of tmap: `tmap complete` prints the words, and fails if names of files fit as well.
_tmap() {
    local current=${COMP_WORDS[COMP_CWORD]} prefix= words
    words=$(tmap complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    local files=$?
    [[ $current == = ]] && current=
    [[ $current == --*=* ]] && prefix=${current%%=*}=
    mapfile -t COMPREPLY < <(
        [[ -n $words ]] && sed "s/\t.*//; s/^/$prefix/" <<<"$words"
        ((files == 1)) && compgen -P "$prefix" -f -- "${current#"$prefix"}"
    )
}

complete -o filenames -F _tmap tmap
