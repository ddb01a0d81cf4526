#!/usr/bin/env bash
# mutant.sh MUTATION STATUS CLASS WORDS: the static gate sees one change to a hot loop for what it is.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
mutation=$1 status=$2 class=$3 words=$4
role=optimal.chain29.acc2 kernel=optimal_chain29_acc2_effective2
built=$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin
[ -e "$built" ] || skip "no kernels for sm_90 in this build"
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
ACCP_FAKE_RUN=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_FAKE_RUN ACCP_FAKE=ok

# The golden is of this very build, whatever its compiler.
version=$("$accprobe" shape --cubin "$built" --golden "$scratch" --format json | sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p')
case $version in *.*.*) ;; *) version=$version.0 ;; esac
mkdir golden && git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
expect 0 '' "$accprobe" shape --cubin "$built" --compiler "$version" --golden golden --out shape.json
expect 0 '' "$accprobe" record shape.json --golden golden --reason test
expect 0 '' "$accprobe" shape --cubin "$built" --golden golden
grep -q '^verdict: PASS' stdout || broken 'PASS for the unchanged kernels'

expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel "$mutation" mutant.cubin
expect "$status" '' "$accprobe" shape --cubin mutant.cubin --golden golden
grep "^$role " stdout | grep -F -e "$words" >/dev/null || broken "'$words' in what shape says of the mutant: $(cat stdout)"
[ "$(grep -c ' PASS' stdout)" -ge 23 ] || broken 'PASS for every other kernel'
case $class in 'structure lost') differs=1 ;; 'registers renamed') differs=0 ;; *) differs=2 ;; esac
expect $differs '' "$accprobe" diff "$built" mutant.cubin
grep -q "^$role  *$class" stdout || broken "the class '$class' from diff: $(cat stdout)"
grep -q ', 23 \| 23 identical' stdout || broken "23 kernels that are identical: $(tail -1 stdout)"

# A broken law stops a measurement before it begins; a change of speed does not.
if [ "$status" = 1 ]; then
    expect 1 'a law is broken, so nothing was timed' "$accprobe" measure --cubin mutant.cubin --out run.json
    [ ! -e run.json ] || broken 'no run of a kernel that breaks a law'
    expect 0 'a law is broken, and it is timed all the same' "$accprobe" measure --cubin mutant.cubin --broken --seed 1 --out run.json
    grep -qF "\"role\": \"$role\"" run.json || broken "the cycles of $role, where they are asked for"
else
    expect 0 '' "$accprobe" measure --cubin mutant.cubin --seed 1 --out run.json
fi
echo passed
