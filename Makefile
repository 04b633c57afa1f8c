# Everything a person needs; `make run` and `make test` install missing Debian packages themselves.
.PHONY: run test build bench fuzz sanitize crash format clean
BINARY := .build/release/drawbridge
FUZZ_SECONDS ?= 1800
CRASH_ROUNDS ?= 200

# Extra arguments for the gateway: make run ARGS='--listen 9000 --data /srv/drawbridge'
run: build
	@exec $(BINARY) serve $(ARGS)

build:
	@scripts/setup.sh build
	swift build -c release --static-swift-stdlib

test:
	@scripts/setup.sh build test
	@scripts/test.sh

bench: build
	@scripts/setup.sh bench
	python3 bench/run.py

fuzz:
	@scripts/setup.sh build
	@scripts/fuzz.sh $(FUZZ_SECONDS)

sanitize:
	@scripts/setup.sh build
	@scripts/sanitize.sh

crash: build
	@scripts/setup.sh test
	python3 scripts/crash.py --rounds $(CRASH_ROUNDS)

format:
	swift format -i -r Sources Tests Package.swift

clean:
	rm -rf .build .build-address .build-thread .build-fuzz .venv bench/work
