#!/usr/bin/env python3
"""Writes scripts/link/function-order.txt: the functions that the linker puts side by side. First those that `GET /user`, `PUT /user` and
refreshes run, so that a busy gateway finds its code in few pages; then what a start and the first answer run beside them, so that an idle one
touches few.

Needs the release binary and valgrind. The list ages gracefully: a name that is gone is passed over, a new function stands elsewhere. Write it
anew when `bench/run.py --only size` shows the memory growing, and link again after it.
"""
from __future__ import annotations

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gateway import BINARY, ROOT, UNLIMITED, Gateway, api_key  # noqa: E402

TARGET = ROOT / "scripts" / "link" / "function-order.txt"
SETTINGS = {**UNLIMITED, "GOTRUE_JWT_SECRET": "", "DRAWBRIDGE_POLICY": "sovaria", "SWIFT_BACKTRACE": "enable=no"}
USERS, ROUNDS = 8, 20


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


def profiled(settings: dict, work, *flags: str) -> list[str]:
    """What a gateway under callgrind runs while `work` asks it."""
    with tempfile.TemporaryDirectory(prefix="callgrind-") as folder:
        wrapper = ("valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no", "--compress-pos=no",
                   f"--callgrind-out-file={folder}/out", "--quiet", *flags)
        gateway = Gateway(settings, loops=1, wrapper=wrapper)
        try:
            gateway.start(patience=120)
            work(gateway)
            gateway.stop()
            return functions(pathlib.Path(folder, "out").read_text(errors="replace"))
        finally:
            gateway.kill()
            gateway.remove()


def busy(gateway: Gateway):
    """The hot paths, several clients at once; only what follows the first rounds is counted."""
    key = api_key("anon")

    def begin(number: int):
        connection = gateway.connection()
        return connection, connection.call("POST", "/auth/v1/signup", {
            "email": f"user-{number}@example.com", "password": "correct horse battery", "data": {"name": f"User {number}"}}, {"apikey": key})[1]

    def ask(client):
        connection, session = client
        for number in range(ROUNDS):
            headers = {"apikey": key, "Authorization": f"Bearer {session['access_token']}"}
            connection.call("GET", "/auth/v1/user", headers=headers)
            connection.call("PUT", "/auth/v1/user", {"data": {"n": number}}, headers)
            status, answer = connection.call("POST", "/auth/v1/token?grant_type=refresh_token", {"refresh_token": session["refresh_token"]}, {"apikey": key})
            if status != 200:
                raise RuntimeError(f"a refresh answered {status} {answer}")
            session = answer
        return connection, session

    with concurrent.futures.ThreadPoolExecutor(USERS) as pool:
        clients = list(pool.map(ask, pool.map(begin, range(USERS))))
        for switch in ("on", "off"):
            subprocess.run(["callgrind_control", "-i", switch, str(gateway.process.pid)], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            if switch == "on":
                clients = list(pool.map(ask, clients))


def main() -> int:
    start = profiled(SETTINGS, lambda gateway: gateway.connection().call("GET", "/auth/v1/health"))
    hot = profiled(UNLIMITED, busy, "--instr-atstart=no")
    if len(start) < 500 or len(hot) < 300:
        print(f"only {len(start)} and {len(hot)} functions were seen; is the binary stripped?", file=sys.stderr)
        return 1
    names = list(dict.fromkeys(hot + start))
    TARGET.write_text("\n".join(names) + "\n")
    print(f"{len(hot)} functions of the hot paths and {len(names) - len(hot)} more of a start to {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
