#!/usr/bin/env bash
# ci/sweep's bad input; what it does is tried by running it.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
sweep=$ACCP_SOURCE_DIR/ci/sweep

expect 4 "unknown option '--what'" "$sweep" --what
expect 4 '--arch needs a value' "$sweep" --arch
expect 4 '--arch sm_9: matrix/arches.def has no such row' "$sweep" --arch sm_9
expect 4 '--with gcc: it is nvrtc, nvcc or ptxas' "$sweep" --with gcc
