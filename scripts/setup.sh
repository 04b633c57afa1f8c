#!/bin/sh
# Installs the Debian packages that a task needs, only where they are missing.
#
#   setup.sh GROUP...     groups: build, test, bench
set -eu

build="libssl-dev libsqlite3-dev libcurl4-openssl-dev libcrypt-dev libargon2-dev zlib1g-dev pkg-config libc6-dev make"
test="python3 python3-venv ca-certificates curl valgrind chromium"
bench="python3 wrk nginx-light haproxy iproute2 binutils"

# Whether what a package is for is there already, also when another package brought it.
has() {
    case "$1" in
        nginx-light) command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] ;;
        haproxy) command -v haproxy >/dev/null || [ -x /usr/sbin/haproxy ] ;;
        pkg-config | wrk | make | curl | valgrind | chromium | python3) command -v "$1" >/dev/null ;;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        *) [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ] ;;
    esac
}

missing=
for group in "$@"; do
    case "$group" in
        build) wanted=$build ;;
        test) wanted=$test ;;
        bench) wanted=$bench ;;
        *) echo "setup.sh: no group $group" >&2; exit 2 ;;
    esac
    for package in $wanted; do
        has "$package" || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: as root, install:$missing" >&2; exit 1; }
    as_root=sudo
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is meant to be split
install_packages() { $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null; }
install_packages 2>/dev/null || { $as_root apt-get update -qq && install_packages; }
