#!/bin/bash
# The unit tests under the address and the thread sanitizer, each in a build folder of its own.
#
#   sanitize.sh [address|thread]...
set -u
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- address thread
failed=0
for kind in "$@"; do
    echo "== $kind sanitizer"
    case "$kind" in
        # The test runner itself leaks a little; what leaks in ours is told by idle memory in the benchmark.
        address) export ASAN_OPTIONS=detect_leaks=0 ;;
        thread) export TSAN_OPTIONS="suppressions=$PWD/scripts/thread-sanitizer.supp halt_on_error=1" ;;
    esac
    swift build --build-tests --sanitize="$kind" --scratch-path ".build-$kind" -Xswiftc -use-ld=lld 2>&1 | tail -1
    if swift test --skip-build --sanitize="$kind" --scratch-path ".build-$kind" -Xswiftc -use-ld=lld --quiet --skip TidyTests; then
        echo "== $kind: passed"
    else
        echo "== $kind: FAILED"
        failed=1
    fi
done
exit "$failed"
