#!/usr/bin/env bash
# The manual page and the shells' completions, against what --help says. Shells that are not there are named and left out.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
share=$ACCP_BINARY_DIR/share
page=$share/man/man1/accprobe.1

# Every verb of --help and every option of each verb's stands in the page, in that verb's section.
"$accprobe" --help >help
sed -n '/^usage/,/--version/s/^  \([a-z]*\) .*/\1/p' help >verbs
[ "$(wc -l <verbs)" -ge 9 ] || broken "the verbs of --help: $(cat verbs)"
cp verbs every_verb
while read -r verb; do
    "$accprobe" "$verb" --help | sed -n 's/^  --\([a-z-]*\) .*/\1/p' | grep -vx help >options
    [ -s options ] || broken "options of $verb"
    sed -n "/^\.SS \"$verb\"\$/,/^\.S[SH] /p" "$page" | sed -n 's/^\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p' | tr -d '\134' >page_options
    diff options page_options >&2 || broken "the page's options of $verb to be those of its --help"
    # What an option means to this verb, in which no other one is named.
    others=$(grep -vx "$verb" every_verb | paste -sd'|')
    ! "$accprobe" "$verb" --help | sed -n '/^  --/s/(see accprobe list)//p' | grep -wE "(of|for|also|and) ($others)|($others) (predicts|keeps|measures)|[;:] ($others)" >&2 ||
        broken "the options of $verb alone"
    sed 's/^/--/' options >>all_options
done <verbs

# An option that means something else to a verb says so in its help, in the page and in the completions.
"$accprobe" policy --help | grep -- '--warps N  *warps on each scheduler$' >/dev/null || broken 'the warps of policy'
grep -q 'warps on each scheduler' "$share/zsh/vendor-completions/_accprobe" || broken 'and of its completion'
sed -n '/^.SS "policy"/,/^.SS /p' "$page" | grep 'warps on each scheduler' >/dev/null || broken 'and of its page'

# accprobe-compile has a page of its own, with the options and exit statuses of its --help.
"$ACCP_BINARY_DIR/accprobe-compile" --help >compile_help
sed -nE 's/^  (--?[A-Za-z-]+|[0-9]+) .*/\1/p' compile_help >options
[ "$(wc -l <options)" -ge 9 ] || broken "options and statuses of accprobe-compile: $(cat compile_help)"
compile_page=$share/man/man1/accprobe-compile.1
tr -d '\134' <"$compile_page" | sed -nE '/^\.SH OPTIONS/,$s/^fB(--?[A-Za-z-]+|[0-9]+)fR.*/\1/p' >page_options
diff options page_options >&2 || broken 'the page of accprobe-compile to have what its --help has'

# Exit statuses and variables stand in both; and the variables are those that the sources read.
for word in 'needs approval (WIN, DRIFT)' ACCPROBE_REQUIRE_GPU ACCPROBE_LIBCUDA CTEST_RESOURCE_GROUP_0_GPUS; do
    grep -qF "$word" help || broken "$word in --help"
    grep -qF "$word" "$page" || broken "$word in the page"
done
while read -r variable; do
    grep -q "$variable" help || broken "$variable, which a source reads, in --help"
done < <(grep -rhoE 'getenv\("[A-Z_0-9]+"\)' "$ACCP_SOURCE_DIR/harness" | cut -d'"' -f2)
if command -v groff >/dev/null; then
    groff -ww -man -Tutf8 "$page" 2>warnings >rendered || broken 'groff to read the page'
    [ ! -s warnings ] || broken "no warning from groff: $(cat warnings)"
    grep -q 'needs approval' rendered || broken 'a page that shows something'
    groff -ww -man -Tutf8 "$compile_page" 2>warnings >rendered || broken 'groff to read the page of accprobe-compile'
    [ ! -s warnings ] || broken "no warning from groff: $(cat warnings)"
    grep -q 'list-arches' rendered || broken 'a page of accprobe-compile that shows something'
else
    echo 'left out: groff is not installed'
fi

# Bash, as it calls the function: complete WORD... prints what it offers for the last word.
# shellcheck source=/dev/null
source "$share/bash-completion/completions/accprobe" || broken 'bash to read its completion'
complete_bash() {
    COMP_WORDS=(accprobe "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _accprobe
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # offers SHELL WORD-OFFERED WORD...
    local shell=$1 offered=$2
    shift 2
    "complete_$shell" "$@" >offered
    grep -qxF -e "$offered" offered || broken "$shell to offer $offered after: accprobe $* (it offers: $(tr '\n' ' ' <offered))"
}
lacks() {
    local shell=$1 offered=$2
    shift 2
    "complete_$shell" "$@" >offered
    ! grep -qxF -e "$offered" offered || broken "$shell not to offer $offered after: accprobe $*"
}
mkdir folder && touch file.cubin

behaves() {
    offers "$1" gate g
    offers "$1" measure me
    offers "$1" optimal gate --probe ''
    offers "$1" sm_90 shape --arch sm_9
    offers "$1" markdown check --format m
    offers "$1" google-benchmark export --to g
    offers "$1" file.cubin shape --cubin fil
    offers "$1" file.cubin diff fil
    offers "$1" --reason record --re
    lacks "$1" --reason gate --re
    lacks "$1" measure gate mea
}
behaves bash
offers bash json gate --format = j
offers bash folder gate --golden fo
while read -r verb; do offers bash "$verb" ''; done <verbs
complete_bash diff -- >offered
if command -v fish >/dev/null; then
    export HOME=$scratch
    complete_fish() {
        local line="accprobe $*"
        fish --no-config -c "source $share/fish/vendor_completions.d/accprobe.fish; complete -C '$line'" | cut -f1 | sed 's#/$##'
    }
    behaves fish
    offers fish folder gate --golden fo
else
    echo 'left out: fish is not installed'
fi
if command -v zsh >/dev/null; then
    # zsh completes in a terminal alone: one is made, a tab and a key that says so when its turn comes are typed in it, and what
    # it shows until then is read.
    cat >capture.zsh <<'END_OF_ZSH'
zmodload zsh/zpty
zpty shell TERM=xterm zsh -f -i
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u; say() { print -n OV'ER' }; zle -N say; bindkey '^G' say; print RE'ADY'"
zpty -r -m shell shown '*READY*'
zpty -n -w shell "accprobe $2"$'\t\a'
zpty -r -m shell shown '*OVER*'
print -rn -- "$shown"
END_OF_ZSH
    complete_zsh() {
        timeout 60 zsh -f capture.zsh "$share/zsh/vendor-completions" "$*" 2>/dev/null |
            sed 's/\x1b\[[0-9;?]*[a-zA-Z]/ /g' | tr -s ' \r\a' '\n' | sed 's#[/=]$##'
    }
    behaves zsh
else
    echo 'left out: zsh is not installed'
fi
echo passed
