#!/usr/bin/env python3
"""A server that is wrong on purpose: starts the real one behind itself and alters some of its answers.

  breaking_proxy.py 'CMD'     as `--launch` of replay.py or `drawbridge conformance`; PORT says where to listen

What is altered depends on the request and the answer alone, so that every runner sees the same faults.
"""
from __future__ import annotations

import http.client
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def altered(method: str, path: str, status: int, headers: list, body: bytes):
    """The answer with one fault, where this kind of answer has one."""
    try:
        node = json.loads(body)
    except ValueError:
        node = None
    if status == 422:       # a header that clients look at is gone
        headers = [(k, v) for k, v in headers if k.lower() != "x-sb-error-code"]
    elif "grant_type=password" in path and status == 200:       # other letters
        node["token_type"] = "Bearer"
    elif path.startswith("/logout") and status == 204:      # another status, and a body
        status, node = 200, {}
        headers = headers + [("content-type", "application/json")]
    elif path.startswith("/user") and method == "GET" and status == 200:    # another type
        node["is_anonymous"] = int(node["is_anonymous"])
    elif path.startswith("/user") and method == "PUT" and status == 200:    # a field more
        node["extra"] = None
    elif path.startswith("/admin/users") and isinstance(node, dict) and "users" in node:
        node["users"] = node["users"][:-1]      # a list that is too short, and no count
        headers = [(k, v) for k, v in headers if k.lower() != "x-total-count"]
    elif path.startswith("/settings") and status == 200:        # a field less
        del node["phone_autoconfirm"]
    elif status == 303:     # a redirect that lost something
        headers = [(k, v.replace("type=", "kind=") if k.lower() == "location" else v) for k, v in headers]
    elif status == 401 and node is not None:        # a crash
        status, node = 500, {"code": 500, "error_code": "unexpected_failure", "msg": "broken"}
    return status, headers, body if node is None else json.dumps(node).encode()


def main() -> int:
    port, behind = int(os.environ["PORT"]), free_port()
    environment = {**os.environ, "PORT": str(behind), "GOTRUE_API_PORT": str(behind)}
    server = subprocess.Popen(sys.argv[1], shell=True, env=environment)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def relay(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            connection = http.client.HTTPConnection("127.0.0.1", behind, timeout=30)
            try:
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() != "connection":
                        connection.putheader(name, value)
                connection.endheaders(body or None)
                answer = connection.getresponse()
                found = altered(self.command, self.path.removeprefix("/auth/v1"), answer.status, answer.getheaders(), answer.read())
            except OSError:
                self.close_connection = True
                return
            finally:
                connection.close()
            status, headers, data = found
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = relay

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 128

    proxy = Server(("127.0.0.1", port), Handler)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    return abs(server.wait())


if __name__ == "__main__":
    sys.exit(main())
