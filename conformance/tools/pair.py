#!/usr/bin/env python3
"""Starts a gateway with the remote backend and, behind it, a second server that holds the rules: for `replay.py --launch`.

  pair.py BINARY

The environment is the case's, as replay.py sets it. Both servers get it, but for: the address and DRAWBRIDGE_BACKEND=remote
(the gateway's alone), the limits for each client (the gateway's alone: who stands in front counts), and the data folder
(DRAWBRIDGE_DATA is the second server's, whose rows they are; the gateway's is a folder beside it). The second server believes
the gateway's X-Forwarded-For. SIGTERM ends both.
"""
from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def healthy(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False


def service_key(secret: str) -> str:
    """A token of the service role, for callers whose key is none."""
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in ({"alg": "HS256", "typ": "JWT"}, {"role": "service_role"})]
    mac = hmac.new(secret.encode(), ".".join(parts).encode(), hashlib.sha256).digest()
    return ".".join([*parts, base64.urlsafe_b64encode(mac).rstrip(b"=").decode()])


def environments(port: int) -> tuple[dict, dict]:
    """The second server's and the gateway's."""
    given = dict(os.environ)
    data = given.get("DRAWBRIDGE_DATA", "drawbridge-data")
    server = {**given, "PORT": str(port), "GOTRUE_API_PORT": str(port), "GOTRUE_API_HOST": "127.0.0.1", "DRAWBRIDGE_BACKEND": "inprocess",
              "DRAWBRIDGE_RATE_LIMIT_BY_PEER": "false", "DRAWBRIDGE_TRUSTED_PROXIES": "127.0.0.1/32", "DRAWBRIDGE_LOG": "off"}
    for name in ("GOTRUE_RATE_LIMIT_HEADER", "GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED", "DRAWBRIDGE_LISTEN", "DRAWBRIDGE_ADMIN_LISTEN"):
        server.pop(name, None)
    gateway = {**given, "DRAWBRIDGE_BACKEND": "remote", "DRAWBRIDGE_REMOTE_URL": f"http://127.0.0.1:{port}",
               "DRAWBRIDGE_DATA": os.path.join(given.get("REPLAY_DIR", data), "gateway")}
    if secret := given.get("GOTRUE_JWT_SECRET"):
        gateway["DRAWBRIDGE_REMOTE_SERVICE_KEY"] = service_key(secret)
    return server, gateway


def main() -> int:
    binary, port = sys.argv[1], free_port()
    server_environment, gateway_environment = environments(port)
    children: list[subprocess.Popen] = []

    def end(*_):
        for child in reversed(children):
            child.send_signal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    children.append(subprocess.Popen([binary, "serve"], env=server_environment, stdout=subprocess.DEVNULL))
    deadline = time.monotonic() + 20
    while not healthy(port):
        if children[0].poll() is not None or time.monotonic() > deadline:
            end()
            return children[0].wait() or 1
        time.sleep(0.01)
    children.append(subprocess.Popen([binary, "serve"], env=gateway_environment, stdout=subprocess.DEVNULL))
    status = children[1].wait()
    end()
    children[0].wait()
    return status


if __name__ == "__main__":
    sys.exit(main())
