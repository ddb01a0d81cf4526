# shellcheck shell=bash
# Sourced by the tests of this folder: an empty folder to work in, and expectations that end the test when not met.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

broken() {
    printf 'expected %s\n' "$*" >&2
    if [ -e "$scratch/stderr" ]; then sed 's/^/  stderr: /' "$scratch/stderr" >&2; fi
    exit 1
}

# is_listed STATUS COMMAND...: of accprobe, whether the verb's --help lists that status; 4 and 77 come of any environment.
is_listed() {
    case ${2##*/}:$1 in
    accprobe:[123]) "$2" "$3" --help | grep "^  $1  " >/dev/null ;;
    esac
}

# expect STATUS WORDS COMMAND...: that exit status, and WORDS in what it says on stderr: on its only line where it
# fails, and nothing at all where WORDS are empty. Its stdout goes to the file stdout.
expect() {
    local status=$1 words=$2 got=0
    shift 2
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || got=$?
    [ "$got" = "$status" ] || broken "exit status $status, not $got, from: $*"
    is_listed "$status" "$@" || broken "--help to list exit status $status: $*"
    if [ -z "$words" ]; then
        [ ! -s "$scratch/stderr" ] || broken "silence from: $*"
        return
    fi
    grep -qF -e "$words" "$scratch/stderr" || broken "the words '$words' from: $*"
    if [ "$status" != 0 ]; then
        [ "$(wc -l <"$scratch/stderr")" = 1 ] || broken "one line from: $*"
    fi
}

# checkout: a copy of what ci/setup and ci/compiler are made of, with a cache of its own.
checkout() {
    rm -rf "$scratch/checkout"
    mkdir "$scratch/checkout"
    cp -r "$ACCP_SOURCE_DIR/ci" "$scratch/checkout/ci"
    unset ACCPROBE_CACHE
}

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

# python_with MODULE...: sets python to an interpreter that has them; skips the test where there is none.
python_with() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c "import $(IFS=,; echo "$*")" 2>/dev/null; then return; fi
    done
    skip "no python3 with the modules $*: ci/setup --tests installs them"
}
