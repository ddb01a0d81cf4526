#!/usr/bin/env bash
# shared_mutant.sh MUTATION ROLE WORDS: in a kernel that roles share, the static gate names the one role whose loop is broken.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
mutation=$1 role=$2 words=$3
built=$ACCP_BINARY_DIR/cubin/sm_90/${role%%.*}.cubin
[ -e "$built" ] || skip "no kernels for sm_90 in this build"
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
mkdir golden

expect 0 '' "$accprobe" shape --cubin "$built" --golden golden --out before.json
expect 0 '' "$accprobe" shape --cubin "$built" --golden golden
grep -q '^verdict: NO_GOLDEN: 24 roles ' stdout || broken "laws that hold in the unchanged kernels: $(tail -1 stdout)"
[ "$(awk '/ NO_GOLDEN / { sub(/[.]acc.*/, "", $1); print $1, $11 }' stdout | sort | uniq -c | wc -l)" = 24 ] || broken "a loop of its own for each role: $(cat stdout)"
version=$(sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p' before.json)
case $version in *.*.*) ;; *) version=$version.0 ;; esac
expect 0 '' "$accprobe" shape --cubin "$built" --golden golden --compiler "$version" --out before.json
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
expect 0 '' "$accprobe" record before.json --golden golden --reason test
expect 0 '' "$accprobe" shape --cubin "$built" --golden golden
grep -q '^verdict: PASS: 24 roles .*: 24 PASS' stdout || broken "PASS for the unchanged kernels: $(tail -1 stdout)"
[ "$(grep -c ' PASS *$' stdout)" = 24 ] || broken "nothing to say of any role: $(cat stdout)"

# Of 24 roles, the one whose loop changed; of the others not a word.
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" "$role" stall stalled.cubin
expect 2 '' "$accprobe" shape --cubin stalled.cubin --golden golden
[ "$(awk '!/^verdict/ && / DRIFT / { print $1 }' stdout)" = "$role" ] || broken "DRIFT for $role: $(cat stdout)"
[ "$(grep -c ' PASS *$' stdout)" = 23 ] || broken "no word of the other roles: $(cat stdout)"

expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" "$role" "$mutation" mutant.cubin
expect 1 '' "$accprobe" shape --cubin mutant.cubin --golden golden
grep "^$role .* FAIL " stdout | grep -F -e "$words" >/dev/null || broken "'$words' in what shape says of $role: $(cat stdout)"
[ "$(grep -c ' PASS ' stdout)" = 23 ] || broken "PASS for the other 23 roles: $(cat stdout)"
expect 1 '' "$accprobe" shape --cubin mutant.cubin --golden golden --filter "^${role//./[.]}\$" --out shape.json
grep -F '"kernel": "' shape.json | grep -F "\"role\": \"$role\"" >/dev/null || broken "the kernel and $role in the shape file: $(cat shape.json)"

# What shape writes, diff reads again, each role apart.
expect 1 '' "$accprobe" shape --cubin mutant.cubin --golden golden --out after.json
expect 1 '' "$accprobe" diff before.json after.json
[ "$(grep -c '^[a-z].*[.]acc.* structure lost' stdout)" = 1 ] || broken "one role whose structure is lost: $(cat stdout)"
grep -q "^$role  *structure lost" stdout || broken "$role in what diff says: $(cat stdout)"
echo passed
