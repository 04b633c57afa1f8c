#!/usr/bin/env python3
"""Writes scripts/link/startup-order.txt: the functions that a start and the first answer run, which the linker then puts side by side.

Needs the release binary and valgrind. The list ages gracefully: a name that is gone is passed over, a new function stands elsewhere. Write it
anew when `bench/run.py --only size` shows the memory growing, and link again after it.
"""
from __future__ import annotations

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gateway import BINARY, ROOT, UNLIMITED, Gateway  # noqa: E402

TARGET = ROOT / "scripts" / "link" / "startup-order.txt"


def functions(profile: str) -> list[str]:
    """The binary's own functions that callgrind saw, in the order of its file."""
    found: dict[str, None] = {}
    holder = ""
    for line in profile.splitlines():
        if line.startswith("ob="):
            holder = line[3:]
        elif line.startswith("fn=") and holder == str(BINARY.resolve()):
            name = line[3:].split("'")[0]
            if not name.startswith(("0x", "(")):
                found[name] = None
    return list(found)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="callgrind-") as folder:
        wrapper = ("valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no", "--compress-pos=no",
                   f"--callgrind-out-file={folder}/out", "--quiet")
        settings = {**UNLIMITED, "GOTRUE_JWT_SECRET": "", "DRAWBRIDGE_POLICY": "sovaria", "SWIFT_BACKTRACE": "enable=no"}
        gateway = Gateway(settings, loops=1, wrapper=wrapper)
        try:
            gateway.start(patience=120)
            gateway.connection().call("GET", "/auth/v1/health")
            gateway.stop()
            names = functions(pathlib.Path(folder, "out").read_text(errors="replace"))
        finally:
            gateway.kill()
            gateway.remove()
    if len(names) < 500:
        print(f"only {len(names)} functions were seen; is the binary stripped?", file=sys.stderr)
        return 1
    TARGET.write_text("\n".join(names) + "\n")
    print(f"{len(names)} functions to {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
