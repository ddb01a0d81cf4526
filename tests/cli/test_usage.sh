#!/usr/bin/env bash
# Every script of ci/ says how it is called, and refuses an option that it does not know, before it does anything else.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
checkout
count=0
for script in checkout/ci/*; do
    name=ci/$(basename "$script")
    if ! head -n1 "$script" | grep '^#!.*bash' >/dev/null; then
        [ ! -x "$script" ] || broken "$name: a program of another kind; teach this test about it"
        continue
    fi
    [ -x "$script" ] || broken "$name to be executable"
    for option in -h --help; do
        expect 0 '' "$script" $option
        [ "$(wc -w <stdout)" -ge 10 ] || broken "the usage of $name: $(cat stdout)"
        ! grep -qE '^(#|set -euo|source )' stdout || broken "the head of $name alone: $(cat stdout)"
        grep -qE 'Exit status:|exit status:' stdout || broken "what the exit status of $name means: $(cat stdout)"
    done
    # These two hand their options on, to a tool that has to be built first.
    if [[ $name =~ ^ci/(gate|test)$ ]]; then continue; fi
    expect 4 "$name: unknown option '--what'; $name --help lists what it takes" "$script" --what
    [ ! -s stdout ] || broken "nothing on stdout of $name"
    count=$((count + 1))
done
# What takes no argument refuses one, and what hands its options on to ctest those that ctest would pass over.
for name in build lint memory pictures recipes; do
    expect 4 "ci/$name: it takes no argument, not 'what'" checkout/ci/$name what
done
if command -v ctest >/dev/null; then
    for option in --what -Z --tests=x; do
        expect 4 "ci/test: ctest has no option '${option%=*}'" checkout/ci/test -R chain29 $option -j4
    done
fi
mkdir -p checkout/tests/fuzz && cp "$ACCP_SOURCE_DIR/tests/fuzz/CMakeLists.txt" checkout/tests/fuzz
expect 4 "ci/fuzz: 'what' is no target; there are: " checkout/ci/fuzz 10 run what
[ $count -ge 20 ] || broken "20 scripts, not $count"
[ -z "$(find checkout -name .cache -o -name build -type d)" ] || broken 'nothing set up or built by then'

# A decimal point in every locale. One with a comma is made where the system has what it takes.
if localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" >log 2>&1; then
    cat >script <<'END'
# A script.
source checkout/ci/usage.sh
echo 0.5 | awk '{ printf "%.1f\n", $1 + 1 }'
END
    expect 0 '' env LOCPATH="$scratch" LC_ALL=de_DE.UTF-8 bash script
    [ "$(cat stdout)" = 1.5 ] || broken "0.5 and 1 to be 1.5, not $(cat stdout)"
else
    echo 'not tried: a locale with a decimal comma (the package locales)'
fi
echo passed
