#!/usr/bin/env python3
"""Counts the user instructions of a static request (GET /auth/v1/health on 64 kept-alive connections, one loop) under callgrind.

Two runs that differ only in the number of requests; what the longer one needs more, per request. The count does not depend on the machine's load.
The limit is what has been reached so far, so that nothing gets worse; the goal stands beside it.
Exit status: 0 within the limit, 1 over it by more than a tenth, 2 could not run.
"""
from __future__ import annotations

import pathlib
import re
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gateway import UNLIMITED, Gateway  # noqa: E402

GOAL = 3000
LIMIT = 4710        # what has been reached; lowered with every gain until it meets the goal
TOLERANCE = 1.10
CONNECTIONS = 64
FEW, MANY = 10, 110      # requests on each connection


def ask(port: int, rounds: int):
    """So many requests on each connection, all connections at once, as a load generator does it."""
    request = f"GET /auth/v1/health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    sockets = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(CONNECTIONS)]
    for sock in sockets:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(rounds):
        for sock in sockets:
            sock.sendall(request)
        for sock in sockets:
            receive(sock)
    for sock in sockets:
        sock.close()


def receive(sock: socket.socket):
    data = b""
    while True:
        data += sock.recv(65536)
        head, end, body = data.partition(b"\r\n\r\n")
        if end and len(body) >= int(re.search(rb"(?i)content-length: *(\d+)", head)[1]):
            break
    if not data.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"answered {data[:80]!r}")


def instructions(rounds: int) -> int:
    with tempfile.TemporaryDirectory(prefix="callgrind-") as folder:
        wrapper = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--quiet")
        gateway = Gateway({**UNLIMITED, "SWIFT_BACKTRACE": "enable=no"}, loops=1, wrapper=wrapper)
        try:
            gateway.start(patience=120)
            ask(gateway.port, rounds)
            gateway.stop()
            text = pathlib.Path(folder, "out").read_text(errors="replace")
        finally:
            gateway.kill()
            gateway.remove()
    return int(re.search(r"^(?:summary|totals): (\d+)", text, re.M)[1])


def main() -> int:
    try:
        each = (instructions(MANY) - instructions(FEW)) / ((MANY - FEW) * CONNECTIONS)
    except (RuntimeError, OSError, TypeError) as why:
        print(f"could not run: {why}", file=sys.stderr)
        return 2
    print(f"{each:.0f} user instructions a static request (goal {GOAL}, limit {LIMIT}, fails at {LIMIT * TOLERANCE:.0f})")
    return 1 if each > LIMIT * TOLERANCE else 0


if __name__ == "__main__":
    sys.exit(main())
