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
# The cases of several lists of a folder: FOLDER LISTS [further arguments].
listed() {
    folder=conformance/$1
    lists=$2
    shift 2
    (cd "$folder" && sort -u $lists) | replay "$folder" --list /dev/stdin "$@"
}
case "$kind" in
    bare) listed golden 'first-light.txt core.txt' "$@" ;;
    prefix) listed golden 'first-light.txt core.txt' --prefix /auth/v1 "$@" ;;
    remote)
        launch="python3 $tools/pair.py .build/release/drawbridge"
        listed golden 'first-light.txt core.txt' "$@"
        listed golden-ours 'first-light.txt passwordless.txt' "$@" ;;
    ours) listed golden-ours 'first-light.txt passwordless.txt' "$@" ;;
    ours-prefix) listed golden-ours 'first-light.txt passwordless.txt' --prefix /auth/v1 "$@" ;;
    hostile) python3 "$tools/hostile.py" --launch "$launch" "$@" ;;
    slow) python3 "$tools/hostile.py" --launch "$launch" --slow "$@" ;;
    *) echo "wire.sh: no kind $kind" >&2; exit 2 ;;
esac
