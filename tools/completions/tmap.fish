# fish completion of tmap

function __tmap_first_column
    tmap list $argv 2>/dev/null | awk 'NR > 1 && NF { print $1 }'
end

function __tmap_names
    set -l words (commandline -opc)
    test (count $words) -ge 3; and test -r $words[3]
    and sed -n 's/^  \([A-Za-z_][A-Za-z0-9_.-]*\):.*/\1/p' $words[3]
end

function __tmap_is
    __fish_seen_subcommand_from $argv
end

complete -c tmap -n __fish_use_subcommand -l help -d 'What commands there are'
complete -c tmap -n __fish_use_subcommand -l version -d 'The version'
complete -c tmap -n __fish_use_subcommand -f -a check -d 'Say what is wrong with spec files'
complete -c tmap -n __fish_use_subcommand -f -a show -d 'The numbers of a tensor or a copy'
complete -c tmap -n __fish_use_subcommand -f -a stats -d 'What a copy costs, and the swizzle to take'
complete -c tmap -n __fish_use_subcommand -f -a copy -d 'Predict every byte that a copy writes'
complete -c tmap -n __fish_use_subcommand -f -a draw -d 'A box in shared memory as a picture'
complete -c tmap -n __fish_use_subcommand -f -a encode -d 'The 128-byte descriptor'
complete -c tmap -n __fish_use_subcommand -f -a generate -d 'Source code of maps and copies'
complete -c tmap -n __fish_use_subcommand -f -a decode -d 'A descriptor back to a spec'
complete -c tmap -n __fish_use_subcommand -f -a diff -d 'Two descriptors, field by field'
complete -c tmap -n __fish_use_subcommand -f -a explain -d 'A rule or a fact'
complete -c tmap -n __fish_use_subcommand -f -a list -d 'The tables'
complete -c tmap -n __fish_use_subcommand -f -a fmt -d 'Specs in canonical form'
complete -c tmap -n __fish_use_subcommand -f -a trace -d 'The tensor maps that a program makes'
complete -c tmap -n __fish_use_subcommand -f -a import -d 'Dumps of CUTLASS and tilelang as a spec'
complete -c tmap -n __fish_use_subcommand -f -a device -d 'What copies can be run on'
complete -c tmap -n __fish_use_subcommand -f -a verify -d 'Run copies on a device and compare'
complete -c tmap -n __fish_use_subcommand -f -a fuzz -d 'Random copies on a device'
complete -c tmap -n __fish_use_subcommand -f -a merge -d 'One recording of several'
complete -c tmap -n __fish_use_subcommand -f -a capture -d 'Record what driver or device does'
complete -c tmap -n __fish_use_subcommand -f -a replay -d 'Hold this build against recordings'
complete -c tmap -n __fish_use_subcommand -f -a version -d 'The version, and what is built in'
complete -c tmap -n __fish_use_subcommand -f -a help -d 'Help on a command'

set -l judging check show stats copy draw encode decode diff verify
complete -c tmap -n "__tmap_is $judging generate" -l arch -x -a '(__tmap_first_column archs)' -d 'Judge for these architectures'
complete -c tmap -n "__tmap_is $judging generate" -s W -x -a '(__tmap_first_column rules)' -d 'Levels of rules'
complete -c tmap -n "__tmap_is $judging" -l strict -d 'Refuse what rests on weak facts'
complete -c tmap -n "__tmap_is $judging explain list replay version trace import device verify fuzz" -l json -d 'Print JSON'
complete -c tmap -n '__tmap_is show stats copy draw encode generate' -a '(__tmap_names)'
complete -c tmap -n '__tmap_is stats' -l width -x -a '1 2 4 8 16' -d 'Bytes of a lane'
complete -c tmap -n '__tmap_is copy' -l sweep -d 'Every tile of a tensor'
complete -c tmap -n '__tmap_is copy' -l range -x -d 'Tiles A:B'
complete -c tmap -n '__tmap_is copy' -s j -x -d 'Threads'
complete -c tmap -n '__tmap_is copy' -l global -r -d 'Global memory'
complete -c tmap -n '__tmap_is copy' -l shared -r -d 'Shared memory before the copy'
complete -c tmap -n '__tmap_is copy' -l fill -x -a 'index random:' -d 'What global memory holds'
complete -c tmap -n '__tmap_is copy' -l poison -x -d 'What shared memory holds'
complete -c tmap -n '__tmap_is copy encode generate capture trace import verify fuzz merge' -s o -r -d 'Output file'
complete -c tmap -n '__tmap_is copy encode' -l all -d 'Everything in the file'
complete -c tmap -n '__tmap_is draw' -l element -x -d 'Mark an element'
complete -c tmap -n '__tmap_is draw' -l lines -x -d 'Only these lines'
complete -c tmap -n '__tmap_is draw' -l svg -r -d 'Draw as SVG'
complete -c tmap -n '__tmap_is encode' -l format -x -a 'hex bin c json' -d 'Format'
complete -c tmap -n '__tmap_is encode' -l backend -x -a 'native driver both' -d 'Back end'
complete -c tmap -n '__tmap_is generate' -l c -d 'Tensors as C'
complete -c tmap -n '__tmap_is generate' -l cuda -d 'Copies as CUDA kernels'
complete -c tmap -n '__tmap_is decode' -l bits -d 'Annotate all bits'
complete -c tmap -n '__tmap_is explain' -f -a '(__tmap_first_column rules) (__tmap_first_column facts)'
complete -c tmap -n '__tmap_is list' -f -a '(__tmap_first_column)'
complete -c tmap -n '__tmap_is fmt' -s i -d 'Rewrite the files'
complete -c tmap -n '__tmap_is fmt' -l check -d 'Name the files that would change'
complete -c tmap -n '__tmap_is capture' -f -a 'descriptors copies'
complete -c tmap -n '__tmap_is capture verify fuzz' -l seed -x -d 'Seed'
complete -c tmap -n '__tmap_is capture' -l random -x -d 'How many random maps'
complete -c tmap -n '__tmap_is capture verify fuzz' -l date -x -d 'The date to write'
complete -c tmap -n '__tmap_is device verify fuzz capture' -l device -r -a cuda -d 'Device'
complete -c tmap -n '__tmap_is verify fuzz capture' -l backend -x -a 'native driver' -d 'Back end'
complete -c tmap -n '__tmap_is verify fuzz capture' -l timeout -x -d 'Milliseconds of a copy'
complete -c tmap -n '__tmap_is verify fuzz capture' -l memory -x -d 'Bytes of a tensor'
complete -c tmap -n '__tmap_is verify' -l copy -x -d 'Only these copies'
complete -c tmap -n '__tmap_is fuzz' -l cases -x -d 'How many'
complete -c tmap -n '__tmap_is fuzz' -l time -x -d 'Seconds'
complete -c tmap -n '__tmap_is fuzz' -l modes -x -a '(__tmap_first_column modes) (__tmap_first_column ops)' -d 'Only these'
complete -c tmap -n '__tmap_is fuzz' -l nearly -x -d 'One of N breaks a rule'
complete -c tmap -n '__tmap_is fuzz' -l shard -x -d 'Part I/N'
complete -c tmap -n '__tmap_is fuzz' -l resume -r -d 'Recording to go on with'
complete -c tmap -n '__tmap_is fuzz' -l verdicts -d 'Ask the driver about limits'
complete -c tmap -n '__tmap_is replay' -l blocks -x -d 'Blocks of random copies'
complete -c tmap -n '__tmap_is device' -l kernel -x -d 'Print a kernel'
complete -c tmap -n '__tmap_is device' -l op -x -a '(__tmap_first_column ops)' -d 'Operation'
complete -c tmap -n '__tmap_is device' -l target -x -a '(__tmap_first_column archs)' -d 'Target'
