#!/bin/bash
# Fuzzes the parsers with libFuzzer under the address sanitizer; the corpora in fuzz/corpus/ grow, findings go to fuzz/findings/.
#
#   fuzz.sh [SECONDS [NAME...]]     names: head chunk json jwt; each runs for so many seconds, two at a time
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 1 ] && { shift; names=$*; } || names="head chunk json jwt"
scratch=.build-fuzz
flags=(-Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library)
for target in Crypto HTTP1; do
    swift build -c release --scratch-path "$scratch" --target "$target" "${flags[@]}" 2>&1 | tail -1
done
built=$scratch/release
mkdir -p fuzz/findings "$scratch/fuzzers"
maps=() includes=()
for library in Sources/C/*/; do
    maps+=(-Xcc "-fmodule-map-file=${library}module.modulemap")
done

build() { # NAME FILE MODULE...
    local name=$1 file=$2 objects=()
    shift 2
    for module in "$@"; do objects+=("$built/$module.build"/*.o); done
    swiftc -O -parse-as-library -sanitize=fuzzer,address -use-ld=lld -I "$built/Modules" "${maps[@]}" \
        "fuzz/$file" "${objects[@]}" -lssl -lcrypto -lcrypt -largon2 -o "$scratch/fuzzers/$name"
}
build head Head.swift HTTP1 EventLoop Bytes
build chunk Chunk.swift HTTP1 EventLoop Bytes
build json JSON.swift JSON Bytes
build jwt JWT.swift Crypto JSON Bytes

export ASAN_OPTIONS=detect_leaks=0
one() {
    mkdir -p "fuzz/corpus/$1"
    if "$scratch/fuzzers/$1" "fuzz/corpus/$1" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="fuzz/findings/$1-" >"$scratch/fuzzers/$1.log" 2>&1; then
        # Keep the inputs that reach something no other does.
        rm -rf "$scratch/merged-$1" && mkdir "$scratch/merged-$1"
        "$scratch/fuzzers/$1" -merge=1 "$scratch/merged-$1" "fuzz/corpus/$1" >>"$scratch/fuzzers/$1.log" 2>&1 &&
            rm -rf "fuzz/corpus/$1" && mv "$scratch/merged-$1" "fuzz/corpus/$1"
        echo "$1: no finding in $seconds s, $(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/fuzzers/$1.log") runs"
    else
        echo "$1: FINDING"
        tail -30 "$scratch/fuzzers/$1.log"
        return 1
    fi
}
export -f one
export scratch seconds
printf '%s\n' $names | xargs -P 2 -I{} bash -c 'one {}'
