#!/usr/bin/env bash
# docs/recipes: every command that stands in them, run as it stands there, the GPU tier over the fake driver. What takes
# long is cut short: ci/build finds everything built, ci/test runs the choice of tests without the tests.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
recipes=$ACCP_SOURCE_DIR/docs/recipes
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
# One recording of every probe, as the gate goes without --probe.
python3 - "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/*.run.json >all.json <<'END' || broken 'the recordings as one'
import json, sys
runs = [json.load(open(name)) for name in sys.argv[1:]]
runs[0]["roles"] = [role for run in runs for role in run["roles"]]
json.dump(runs[0], sys.stdout)
END
export ACCP_FAKE_RUN=$scratch/all.json GITHUB_STEP_SUMMARY=$scratch/summary.md

# A checkout that is built.
mkdir checkout checkout/ci && cd checkout || exit 1
ln -s "$ACCP_BINARY_DIR" build
cp "$ACCP_SOURCE_DIR/ci/gate" "$ACCP_SOURCE_DIR/ci/usage.sh" ci
printf '#!/bin/sh\nexit 0\n' >ci/build
# shellcheck disable=SC2016 # for the script that is written
printf '#!/bin/sh\nexec ctest --test-dir build -N --no-tests=error "$@"\n' >ci/test
chmod +x ci/*

# commands FILE: what the recipe runs, a line each.
commands() {
    case $1 in
    github-actions.yml) sed -n 's/^ *run: //p' "$recipes/$1" ;;
    gitlab-ci.yml) sed -n 's/^    - \(.*ci\/.*\)/\1/p' "$recipes/$1" ;;
    Jenkinsfile) sed -n "s/.*sh[( ]*\(script: \)*'\([^']*\)'.*/\2/p" "$recipes/$1" ;;
    esac
}

# gives STATUS COMMAND
gives() {
    local got=0
    # As GitHub calls its shell; GitLab's and Jenkins' stop at a failed line too.
    bash --noprofile --norc -eo pipefail -c "$2" >output 2>&1 </dev/null || got=$?
    [ $got = "$1" ] || broken "exit status $1, not $got, from: $2; $(tail -n3 output)"
}

seen=
for recipe in github-actions.yml gitlab-ci.yml Jenkinsfile; do
    [ "$(commands $recipe | wc -l)" -ge 3 ] || broken "the commands of $recipe: $(commands $recipe)"
    [[ $(commands $recipe) == *ci/gate* ]] || broken "$recipe to run the gate"
    grep -q "ACCPROBE_REQUIRE_GPU" "$recipes/$recipe" || broken "$recipe to require its GPU"
    # Everything that it calls is there.
    for script in $(commands $recipe | grep -oE 'ci/[a-z_]+' | sort -u); do
        [ -x "$ACCP_SOURCE_DIR/$script" ] || broken "$script, which $recipe calls"
    done
    while read -r command; do
        if [[ $seen == *"|$command|"* ]]; then continue; fi
        seen+="|$command|"
        ACCP_FAKE=ok gives 0 "$command"
        [[ $command == *'ci/gate --out'* ]] || continue
        export ACCPROBE_REQUIRE_GPU=1                     # the GPU tier
        command=${command/ci\/gate/ci\/gate --probe optimal} # each other probe costs a second
        slower='optimal_chain29_acc2_effective2=1.03'
        ACCP_FAKE=ok ACCP_FAKE_SCALE=$slower gives 1 "$command"
        ACCP_FAKE=ok ACCP_FAKE_SCALE='optimal_chain29_acc1_effective1@8=0.97' gives 2 "$command"
        ACCP_FAKE=busy ACCP_FAKE_SCALE=$slower gives 3 "$command"
        ACCP_FAKE=no_device gives 4 "$command"
        unset ACCPROBE_REQUIRE_GPU
    done < <(commands $recipe)
done
grep -q 'verdict: PASS' "$GITHUB_STEP_SUMMARY" || broken 'a verdict in the summary of the run'
[[ $(commands github-actions.yml) == *'ci/test -LE gpu'* ]] || broken 'the CPU tier to leave the GPU tests out'
gives 0 'ci/test -LE gpu'
! grep -q ' gpu[.]' output || broken 'no GPU test in the CPU tier'
grep -q ' static[.]' output || broken 'the static tests in the CPU tier'
gives 0 'build/accprobe gate --probe optimal --out run.json'
[ -s run.json ] || broken 'the run that is kept'
echo passed
