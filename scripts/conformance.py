#!/usr/bin/env python3
"""Whether `drawbridge conformance` judges as conformance/tools/replay.py does, case by case.

  conformance.py [--program .build/release/drawbridge] [--list FILE] [--only TEXT] [CASES...]

Both run the same cases on a server that is right and on one that is wrong on purpose (breaking_proxy.py), and must find the same
steps and fields. Then the command's own doings: a running server, two servers live, broken case files, exit statuses, reports.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
failures: list[str] = []


def check(holds: bool, what: str):
    print(("ok    " if holds else "FAIL  ") + what, flush=True)
    if not holds:
        failures.append(what)


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)


def place(line: str) -> tuple[str, str]:
    """(step, field) of a line of the results; the field `ended` for a case that could not go on."""
    line = re.sub(r"\s+", " ", line)
    found = re.match(r"(step \d+ .*?): (\S*): (?:missing, want |not wanted, got |want )", line)
    if found:
        return found.group(1), found.group(2).removeprefix("answer")
    found = re.match(r"(step \d+ [^:]*(?::[^ ][^:]*)*): ", line)
    return (found.group(1) if found else line[:40]), "ended"


def agree(name: str, ours: dict, judge: dict, unknown: set[str]):
    """Case by case, and within a case step by step and field by field; `unknown`: cases that the program says it cannot run."""
    check(set(ours) == set(judge), f"{name}: both ran the same {len(judge)} cases")
    wrong = []
    for case in sorted(set(ours) & set(judge)):
        if case in unknown:
            if not ours[case]:
                wrong.append(f"{case}: not run, but reported as passed")
        elif {place(line) for line in ours[case]} != {place(line) for line in judge[case]}:
            wrong.append(f"{case}:\n  program {sorted(place(l) for l in ours[case])}\n  judge   {sorted(place(l) for l in judge[case])}")
    for text in wrong[:20]:
        print("      " + text)
    passed = sum(1 for lines in judge.values() if not lines)
    check(not wrong, f"{name}: they agree ({passed} passed, {len(judge) - passed} differ, {len(unknown)} not run here)")


def running(args, both):
    """A server that runs already: the cases that need nothing but it."""
    sys.path.insert(0, str(ROOT / "conformance/tools"))
    import replay
    ids = set((ROOT / args.list).read_text().split()) if args.list else None
    files = []
    for path, case in replay.load([str(ROOT / c) for c in args.cases]):
        kinds = {step.get("do", "request") for step in case.get("steps", [])}
        if kinds and kinds <= {"request", "make", "race", "compare"} and not case.get("env") and not case.get("fresh") and (not ids or case["id"] in ids):
            files.append(str(path))
    world, port = replay.World(), replay.peers.free_port()
    server = replay.Server(f"{args.program} serve", world.environment(port, {}), port, "", False)
    try:
        statuses = both("running", "--base", server.base, cases=files)
        check(statuses == (0, 0), f"running: exit statuses {statuses}")
    finally:
        server.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=["conformance/golden"])
    parser.add_argument("--program", default=".build/release/drawbridge")
    parser.add_argument("--list", default="conformance/golden/first-light.txt")
    parser.add_argument("--only")
    parser.add_argument("--passing-only", action="store_true", help="only compare the two on the server that is right")
    args = parser.parse_args()
    right = f"{args.program} serve"
    wrong = f"exec python3 scripts/breaking_proxy.py '{right}'"
    some = (["--list", args.list] if args.list else []) + (["--only", args.only] if args.only else [])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="conformance-"))
    judge, ours = folder / "judge.json", folder / "ours.json"

    def both(name: str, *more: str, ours_more: tuple = (), cases=args.cases) -> tuple[int, int]:
        first = run("python3", "conformance/tools/replay.py", "check", *cases, *more, "--brief", "--summary", str(judge))
        target = ["--target" if word == "--base" else word for word in more]
        second = run(args.program, "conformance", *cases, *target, *ours_more, "--summary", str(ours), "--report", str(folder) + "/")
        if not judge.exists() or not ours.exists():
            print(first.stdout[-2000:], first.stderr[-2000:], second.stdout[-2000:], second.stderr[-2000:])
            check(False, f"{name}: both wrote their results")
            return first.returncode, second.returncode
        report = json.loads((folder / "conformance.json").read_text())
        unknown = {c["id"] for c in report["cases"] if c["verdict"] == "not run"}
        agree(name, json.loads(ours.read_text()), json.loads(judge.read_text()), unknown)
        return first.returncode, second.returncode

    statuses = both("right", *some, "--launch", right)
    check(statuses[0] == statuses[1] or statuses[1] == 2, f"right: exit statuses {statuses}")
    if args.passing_only:
        return 1 if failures else 0
    statuses = both("wrong", *some, "--launch", wrong)
    check(statuses == (1, 1), f"wrong: exit statuses {statuses}")
    page = (folder / "conformance.html").read_text()
    check("<script" not in page and "http-equiv" in page and "is_anonymous" in page, "wrong: the page has no script and names the field")
    both("wrong, behind the prefix", "--only", "token-", *some[:2], "--launch", wrong, "--prefix", "/auth/v1")

    # Two servers, live, without recorded answers.
    few = ["--list", args.list, "--only", "user-"]
    live = run(args.program, "conformance", *args.cases, *few, "--launch", right, "--launch-reference", right)
    check(live.returncode == 0, f"live: a server is like itself {live.stdout[-300:] if live.returncode else ''}")
    live = run(args.program, "conformance", *args.cases, *few, "--launch", wrong, "--launch-reference", right)
    check(live.returncode == 1 and "json.extra" in live.stdout, "live: the wrong server differs from the right one")

    running(args, both)

    # Broken files; nothing to talk to.
    for name, text, says in [
        ("not-json", "{", "not JSON"), ("unknown-field", '{"id":"x","steps":[{"path":"/","colour":1}]}', "no field"),
        ("unknown-kind", '{"id":"x","steps":[{"do":"dance"}]}', "not known"),
        ("deep", "[" * 1_000_000, "not JSON"), ("huge", '{"id":"' + "x" * (9 << 20) + '"}', "bytes"),
        ("latin-1", '{"id":"\xff"}', "not JSON"),
    ]:
        path = folder / f"{name}.json"
        path.write_bytes(text.encode("latin-1"))
        done = run(args.program, "conformance", str(path), "--launch", right)
        check(done.returncode == 2 and says in done.stdout and "0 passed, 0 differ, 1 not run" in done.stdout,
              f"a {name} file is not run, and the reason is told")
    done = run(args.program, "conformance", *args.cases, "--target", "http://127.0.0.1:1")
    check(done.returncode == 2 and "no server answers" in done.stderr, "no server: exit status 2")
    for words in [[], ["x.json"], ["--target", "http://x"], ["x.json", "--target", "nonsense"], ["x.json", "--nonsense"]]:
        done = run(args.program, "conformance", *words)
        check(done.returncode == 2 and done.stderr.startswith("drawbridge: "), f"conformance {' '.join(words)}: exit status 2")
    if not failures:
        subprocess.run(["rm", "-rf", str(folder)])
    print(f"{len(failures)} failed" if failures else "the program judges as the judge does")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
