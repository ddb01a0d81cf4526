#!/usr/bin/env bash
# shared_mutant.sh MUTATION ROLE WORDS [NAMED]: in a kernel that roles share, the static gate names the one role whose loop is broken.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
mutation=$1 role=$2 words=$3
named=${4:-$role} # of roles with the same links, the last
built=$ACCP_BINARY_DIR/cubin/sm_90/${role%%.*}.cubin
[ -e "$built" ] || skip "no kernels for sm_90 in this build"
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
mkdir golden

expect 0 '' "$accprobe" shape --cubin "$built" --golden golden
grep -q '^verdict: PASS: 24 roles ' stdout || broken "PASS for the unchanged kernels: $(tail -1 stdout)"
[ "$(awk '/ PASS / { print $2, $3 }' stdout | sort | uniq -c | wc -l)" -ge 20 ] || broken "a loop of its own for each split: $(cat stdout)"

expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" "$role" "$mutation" mutant.cubin
expect 1 '' "$accprobe" shape --cubin mutant.cubin --golden golden
grep "^$named .* FAIL " stdout | grep -F -e "$words" >/dev/null || broken "'$words' in what shape says of $named: $(cat stdout)"
[ "$(grep -c ' PASS ' stdout)" = 23 ] || broken "PASS for the other 23 roles: $(cat stdout)"
expect 1 '' "$accprobe" shape --cubin mutant.cubin --golden golden --filter "^${named//./[.]}\$" --out shape.json
grep -F '"kernel": "' shape.json | grep -F "\"role\": \"$named\"" >/dev/null || broken "the kernel and $named in the shape file: $(cat shape.json)"

# What shape writes, diff reads again, each role apart.
expect 0 '' "$accprobe" shape --cubin "$built" --golden golden --out before.json
expect 1 '' "$accprobe" shape --cubin mutant.cubin --golden golden --out after.json
expect 1 '' "$accprobe" diff before.json after.json
[ "$(grep -c '^[a-z].*[.]acc.* structure lost' stdout)" = 1 ] || broken "one role whose structure is lost: $(cat stdout)"
grep -q "^$named  *structure lost" stdout || broken "$named in what diff says: $(cat stdout)"

# No golden is held of them, and record says so.
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
expect 4 'no golden is held of' "$accprobe" record before.json --golden golden --reason test
[ -z "$(ls golden)" ] || broken "nothing recorded: $(ls golden)"
echo passed
