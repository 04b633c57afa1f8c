#!/usr/bin/env python3
"""Says which of the copies in conformance/ differ from the folder `shared` beside the repository, if there is one.

  behind.py [SHARED]

A warning, not an error: the exit status is 0 even where something is behind, so that a plain clone and an older copy both pass.
With --strict it is 1 then.
"""
from __future__ import annotations

import filecmp
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
COPIES = ("golden", "golden-ours", "seed-cases")
FILES = {"tools": ("replay.py", "hostile.py", "cpubench.py", "peers.py"),
         "spec": ("http-hostile.jsonl", "conformance-format.md", "error-codes.csv")}


def pairs(shared: pathlib.Path):
    """(ours, theirs) of every file that stands on either side."""
    for folder in COPIES:
        names = {p.relative_to(root / folder) for root in (HERE, shared) for p in (root / folder).rglob("*") if p.is_file()}
        yield from ((HERE / folder / n, shared / folder / n) for n in sorted(names))
    for folder, names in FILES.items():
        yield from ((HERE / folder / n, shared / folder / n) for n in names)


def main() -> int:
    given = [a for a in sys.argv[1:] if not a.startswith("-")]
    shared = pathlib.Path(given[0]) if given else HERE.parent.parent / "shared"
    if not (shared / "golden").is_dir():
        print("no shared cases beside this repository: nothing to compare")
        return 0
    behind = []
    for ours, theirs in pairs(shared):
        if not theirs.exists():
            behind.append(f"{ours.relative_to(HERE)}: not there any more")
        elif not ours.exists():
            behind.append(f"{theirs.relative_to(shared)}: new there")
        elif not filecmp.cmp(ours, theirs, shallow=False):
            behind.append(f"{ours.relative_to(HERE)}: differs")
    for line in behind[:40]:
        print("warning: " + line)
    print(f"{len(behind)} of the copies are behind" if behind else "the copies are up to date")
    return 1 if behind and "--strict" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
