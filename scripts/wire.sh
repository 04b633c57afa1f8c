#!/bin/sh
# The recorded cases and the hostile requests against the release binary.
#
#   wire.sh bare|prefix|remote|ours|ours-prefix|hostile|slow [further arguments of the tool]
#
# remote: a gateway with the remote backend in front of a second server (conformance/tools/pair.py).
set -eu
cd "$(dirname "$0")/.."
kind=$1
shift
launch='.build/release/drawbridge serve'
tools=conformance/tools
replay() { python3 "$tools/replay.py" check "$@" --launch "$launch" --brief; }
case "$kind" in
    bare) replay conformance/golden --list conformance/golden/first-light.txt "$@" ;;
    prefix) replay conformance/golden --list conformance/golden/first-light.txt --prefix /auth/v1 "$@" ;;
    remote)
        launch="python3 $tools/pair.py .build/release/drawbridge"
        replay conformance/golden --list conformance/golden/core.txt "$@" ;;
    ours) replay conformance/golden-ours --list conformance/golden-ours/first-light.txt "$@" ;;
    ours-prefix) replay conformance/golden-ours --list conformance/golden-ours/first-light.txt --prefix /auth/v1 "$@" ;;
    hostile) python3 "$tools/hostile.py" --launch "$launch" "$@" ;;
    slow) python3 "$tools/hostile.py" --launch "$launch" --slow "$@" ;;
    *) echo "wire.sh: no kind $kind" >&2; exit 2 ;;
esac
