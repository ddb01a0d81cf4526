# shellcheck shell=bash
# Sourced by the scripts of this folder below their head, which is their usage. -h and --help print it on stdout; an option
# that is not in it ends the script with 4, before anything is installed or built. What follows -- is not looked at, nor
# anything where hands_on is set: such a script hands its options on to another tool. Nor does a script take an argument whose
# usage has no line of a command that does.
# It also gives awk and sort a decimal point, whatever the locale.
if [ -n "${LC_ALL:-}" ]; then
    export LANG=$LC_ALL
    unset LC_ALL
fi
export LC_NUMERIC=C
usage_of=ci/$(basename "${BASH_SOURCE[1]}")
usage_head=$(sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[1]}")
case ${1:-} in
-h | --help)
    printf '%s\n' "$usage_head"
    exit
    ;;
esac
if [ $# -gt 0 ] && [[ $1 != -* ]] && ! grep -q "^  $usage_of [^ ]" <<<"$usage_head"; then
    echo "$usage_of: it takes no argument, not '$1'" >&2
    exit 4
fi
if [ -z "${hands_on:-}" ]; then
    for word in "$@"; do
        if [ "$word" = -- ]; then break; fi
        if [[ $word =~ ^--?[A-Za-z][A-Za-z-]*(=.*)?$ ]] && ! grep -qE -e "(^|[^A-Za-z-])$word([^A-Za-z-]|\$)" <<<"$usage_head"; then
            echo "$usage_of: unknown option '$word'; $usage_of --help lists what it takes" >&2
            exit 4
        fi
    done
fi
