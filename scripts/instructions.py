#!/usr/bin/env python3
"""Counts user instructions a request under callgrind, on 64 kept-alive connections of one loop: of a static one (GET /auth/v1/health), and of
GET /auth/v1/user with an API key and a token that the gateway has seen before.

For each, two runs that differ only in the number of requests; what the longer one needs more, per request. The count does not depend on the
machine's load. Exit status: 0 within the limits, 1 over one by more than a tenth, 2 could not run.
"""
from __future__ import annotations

import pathlib
import re
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gateway import UNLIMITED, Gateway, api_key  # noqa: E402

LIMITS = {"/auth/v1/health": 3000, "/auth/v1/user": 8000}
TOLERANCE = 1.10
CONNECTIONS = 64
FEW, MANY = 10, 110      # requests on each connection


def headers(gateway: Gateway, path: str) -> str:
    """What the request needs beside its Host: nothing for the static one, else key and token of a user who has just signed up."""
    if path == "/auth/v1/health":
        return ""
    key = api_key("anon")
    status, session = gateway.connection().call("POST", "/auth/v1/signup", {"email": "one@example.com", "password": "a-good-password"},
                                                {"apikey": key})
    if status != 200:
        raise RuntimeError(f"sign-up answered {status} {session}")
    return f"apikey: {key}\r\nAuthorization: Bearer {session['access_token']}\r\n"


def ask(gateway: Gateway, path: str, rounds: int):
    """So many requests on each connection, all connections at once, as a load generator does it."""
    port = gateway.port
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers(gateway, path)}\r\n".encode()
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


def instructions(path: str, rounds: int) -> int:
    with tempfile.TemporaryDirectory(prefix="callgrind-") as folder:
        wrapper = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--quiet")
        gateway = Gateway({**UNLIMITED, "SWIFT_BACKTRACE": "enable=no"}, loops=1, wrapper=wrapper)
        try:
            gateway.start(patience=120)
            ask(gateway, path, rounds)
            gateway.stop()
            text = pathlib.Path(folder, "out").read_text(errors="replace")
        finally:
            gateway.kill()
            gateway.remove()
    return int(re.search(r"^(?:summary|totals): (\d+)", text, re.M)[1])


def main() -> int:
    is_over = False
    for path, limit in LIMITS.items():
        try:
            each = (instructions(path, MANY) - instructions(path, FEW)) / ((MANY - FEW) * CONNECTIONS)
        except (RuntimeError, OSError, TypeError) as why:
            print(f"could not run: {why}", file=sys.stderr)
            return 2
        print(f"{each:.0f} user instructions a request of GET {path} (limit {limit}, fails at {limit * TOLERANCE:.0f})")
        is_over = is_over or each > limit * TOLERANCE
    return 1 if is_over else 0


if __name__ == "__main__":
    sys.exit(main())
