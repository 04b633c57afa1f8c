#!/bin/bash
# What `make test` runs: every step by itself, all of them even if one fails, and how many passed at the end.
#
#   test.sh [STEP...]     only these steps (names as printed)
set -u
cd "$(dirname "$0")/.."
passed=0 failed=0 failures=
only=" $* "

step() {
    local name=$1 start=$SECONDS
    shift
    [ "$only" = "  " ] || [[ "$only" == *" $name "* ]] || return 0
    echo "== $name"
    if "$@"; then
        passed=$((passed + 1))
        echo "== $name: passed ($((SECONDS - start)) s)"
    else
        failed=$((failed + 1)) failures="$failures $name"
        echo "== $name: FAILED ($((SECONDS - start)) s)"
    fi
}

copies() { python3 conformance/tools/behind.py; }
format() { swift format lint --strict -r Sources Tests Package.swift; }
debug_build() { swift build --build-tests 2>&1 | grep -vE '^\[[0-9]+/[0-9]+\]'; return "${PIPESTATUS[0]}"; }
unit() { swift test --skip-build --no-parallel --quiet 2>&1 | grep -vE '^(◇|✔ (Test|Suite) )|started at|Executed 0 tests'; return "${PIPESTATUS[0]}"; }
release_build() { swift build -c release --static-swift-stdlib 2>&1 | grep -vE '^\[[0-9]+/[0-9]+\]'; return "${PIPESTATUS[0]}"; }

step copies copies
step format format
step debug-build debug_build
step unit unit
step release-build release_build
step wire scripts/wire.sh bare
step wire-prefix scripts/wire.sh prefix
step wire-ours scripts/wire.sh ours
step conformance python3 scripts/conformance.py
step wire-remote scripts/wire.sh remote
step hostile scripts/wire.sh hostile
step clients Tests/Clients/run.sh
step instructions python3 scripts/instructions.py
step remote-outage python3 scripts/remote.py outage
step remote-tls python3 scripts/remote.py tls
step remote-races python3 scripts/remote.py races
step crash python3 scripts/crash.py --rounds 20

[ -z "$failures" ] || echo "failed:$failures"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
