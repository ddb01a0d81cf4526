#!/usr/bin/env bash
# The Debian packages: what they hold, what they depend on, and that what is in them runs.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
for tool in dpkg-deb dpkg-shlibdeps; do command -v $tool >/dev/null || skip "$tool is not installed: apt-get install dpkg-dev"; done
export ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1
cpack --config "$ACCP_BINARY_DIR/CPackConfig.cmake" -B "$scratch" >log 2>&1 || broken "packages: $(cat log)"
runtime=$(echo accprobe_*.deb) development=$(echo libaccprobe-dev_*.deb)
if [ ! -e "$runtime" ] || [ ! -e "$development" ]; then broken "two packages: $(ls)"; fi

depends=$(dpkg-deb -f "$runtime" Depends)
for library in libc6 libsmartcols1; do
    [[ $depends == *"$library"* ]] || broken "$library among what $runtime depends on: $depends"
done
[[ $depends != *cuda* && $depends != *nvidia* ]] || broken "no driver among what $runtime depends on: $depends"
[[ $(dpkg-deb -f "$development" Depends) == *libjansson-dev*libelf-dev* ]] || broken "what $development depends on"
description=$(dpkg-deb -f "$runtime" Description)
[[ $description == 'Which number'*$'\n Measures '* ]] || broken "a synopsis, then what it does: $description"
[[ $(dpkg-deb -f "$development" Description) == Reader,*$'\n For find_package'* ]] || broken "the synopsis of $development"

dpkg-deb -x "$runtime" root
# These are in the tool where their archives were there when it was built.
readelf -d root/usr/bin/accprobe | grep NEEDED >needed
for library in libelf libjansson; do
    [ "$(grep -c "$library" needed)" = "$(grep -c "$library" <<<"$depends")" ] ||
        broken "$library among what $runtime depends on if the tool needs it: $depends, $(cat needed)"
done
dpkg-deb -c "$runtime" >contents
for file in ./usr/bin/accprobe ./usr/bin/accprobe-compile ./usr/share/man/man1/accprobe.1 ./usr/share/man/man1/accprobe-compile.1 ./usr/share/bash-completion/completions/accprobe ./usr/share/doc/accprobe/copyright ./usr/share/doc/accprobe/licences.md; do
    grep -q " $file\$" contents || broken "$file in $runtime"
done
! grep -qE '[.](h|a)$' contents || broken "no development files in $runtime: $(grep -E '[.](h|a)$' contents)"
awk '{ print $1, $2, $NF }' contents | while read -r mode owner name; do
    [ "$owner" = root/root ] && [[ $mode != ????????w* ]] || broken "$name to be root's and to be written by nobody else: $mode $owner"
done || exit 1
root/usr/bin/accprobe gate --probe optimal >stdout || [ $? -le 2 ] || broken 'a verdict'
grep -q "^verdict: " stdout || broken 'a verdict from what is in the package'
expect 0 '' root/usr/bin/accprobe doctor
[ "$(stat -c %s "$runtime")" -lt 8000000 ] || broken "a package below 8 MB: $(stat -c %s "$runtime")"
echo passed
