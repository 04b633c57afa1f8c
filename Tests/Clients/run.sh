#!/bin/sh
# The client tests: the real supabase package, curl and a browser against the release binary.
#
#   run.sh [unittest arguments, such as test_curl]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv="$root/.venv"
stamp="$venv/requirements.txt"
if ! cmp -s "$here/requirements.txt" "$stamp" 2>/dev/null; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$stamp"
fi
cd "$here"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here:$root/scripts"
[ $# -gt 0 ] || set -- discover -p 'test_*.py'
exec "$venv/bin/python" -W ignore::ResourceWarning -m unittest "$@"
