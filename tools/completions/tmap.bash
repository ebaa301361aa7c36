# bash completion of tmap

_tmap_words() {
    tmap list "$1" 2>/dev/null | awk 'NR > 1 && NF { print $1 }'
}

# _tmap_reply COMPGEN_OPTIONS...: replies with the candidates that start with the current word.
_tmap_reply() {
    mapfile -t COMPREPLY < <(compgen "$@" -P "$prefix" -- "$current")
}

_tmap() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local commands="check show stats copy draw encode generate decode diff layout plan explain list fmt trace import device verify fuzz capture replay merge version help"
    local judging="--arch --toolkit -W -D --strict" device="--device --backend --timeout --memory" options words prefix=

    # "--svg=a" is one word, or three words if '=' separates words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == --*=* ]]; then
        previous=${current%%=*} prefix=${current%%=*}= current=${current#*=}
    fi
    if ((COMP_CWORD == 1)); then
        _tmap_reply -W "$commands --help --version -h -V"
        return
    fi
    case $previous in
    --arch) words=$(_tmap_words archs) ;;
    --assume) words=$(tmap list readings 2>/dev/null | awk 'NR > 1 && NF { print $1 "=" $2 }') ;;
    --toolkit) words=$(_tmap_words toolkits) ;;
    --format)
        words="hex bin c json"
        [[ ${COMP_WORDS[1]} == check ]] && words="text json github sarif"
        ;;
    --backend) words="native driver both" ;;
    --as) words="dsl driver" ;;
    --fill) words="index random:" ;;
    --width) words="1 2 4 8 16" ;;
    --device)
        _tmap_reply -W cuda -f
        return
        ;;
    -o | --global | --maps | --svg | --png | --pdf | --latex | --html | --spec | --resume)
        _tmap_reply -f
        return
        ;;
    --shared | --cuda)
        # Files of copy and layout; for plan the value is an address, and generate has no value.
        if [[ $command == copy || $command == layout ]]; then
            _tmap_reply -f
            return
        fi
        ;;
    --target) words=$(_tmap_words archs) ;;
    --modes) words="$(_tmap_words modes) $(_tmap_words ops)" ;;
    esac
    if [[ -n $words ]]; then
        _tmap_reply -W "$words"
        return
    fi
    case $command in
    check) options="$judging --format --maps --grid --cluster --threads --instructions --json" ;;
    show) options="$judging --assume --maps --svg --step --global --json" ;;
    stats) options="$judging --assume --width --json" ;;
    copy) options="$judging --assume --global --fill --shared --poison -o --all --sweep --range -j --json" ;;
    draw) options="$judging --assume --element --address --global-address --lines --svg --png --pdf --latex --access --html --shape --color-by --type --memory --json" ;;
    encode) options="$judging --format --json -o --all --backend --as --exact" ;;
    generate) options="$judging --c --cuda -o" ;;
    decode) options="$judging --bits --json" ;;
    diff) options="$judging --json --exact" ;;
    plan) options="--type --shape --strides --tile --at --layout --swizzle --shared --address --op --for --rows --filter --padding --filter-stride --dilation --conv --stages --arch --json" ;;
    layout) options="--spec -D --type --shape --box --to-type --to-shape --to-box --threads --cuda --functions --json" ;;
    explain | list | version) options="--json" ;;
    fmt) options="-i --check --diff" ;;
    trace) options="-o --json" ;;
    import) options="--check --maps --arch --toolkit -W -o --json" ;;
    device) options="--device --kernel --op --replace --qualifiers --cta-group --map-space --rank --target --json" ;;
    verify) options="$judging --assume $device --copy --seed --shard --no-faults -o --date --json" ;;
    fuzz) options="--assume $device --seed --cases --time --modes --nearly --no-faults --shard -o --resume --date --verdicts --json" ;;
    merge) options="-o" ;;
    replay) options="--assume --blocks --json" ;;
    capture) options="$device -o --seed --random --shard --no-faults --date -D" ;;
    esac
    if [[ $current == -* ]]; then
        _tmap_reply -W "$options --help"
        return
    fi
    case $command in
    explain)
        words=$(for table in rules facts types swizzles modes ops archs calls qualifiers; do _tmap_words $table; done)
        ;;
    list) words=$(tmap list 2>/dev/null | awk 'NR > 1 { print $1 }') ;;
    help) words=$commands ;;
    layout) words=$(tmap layout --functions 2>/dev/null | sed -n 's/^\([a-z_]*\)(.*/\1(/p' | sort -u; echo of permute) ;;
    capture) ((COMP_CWORD == 2)) && words="descriptors copies" ;;
    show | stats | copy | draw | encode | generate)
        # The names in the file of the previous word.
        ((COMP_CWORD > 2)) && [[ -r ${COMP_WORDS[2]} ]] &&
            words=$(sed -n 's/^  \([A-Za-z_][A-Za-z0-9_.-]*\):.*/\1/p' "${COMP_WORDS[2]}")
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ -z $words ]] && compgen -f -- "$current")
}

complete -o filenames -F _tmap tmap
