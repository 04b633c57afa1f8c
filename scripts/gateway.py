"""Starts the gateway for a test or a measurement, and makes the tokens that go with it. Python's own library only."""
from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("DRAWBRIDGE_BINARY", ROOT / ".build" / "release" / "drawbridge"))
SECRET = "a-test-secret-of-at-least-thirty-two-characters"
JWT = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+")

# The rules of the recorded cases, nothing limited, so that a measurement measures the server.
UNLIMITED = {
    "DRAWBRIDGE_POLICY": "supabase", "DRAWBRIDGE_LOG": "off", "DRAWBRIDGE_RATE_LIMIT_BY_PEER": "false",
    "GOTRUE_JWT_SECRET": SECRET, "GOTRUE_MAILER_AUTOCONFIRM": "true", "GOTRUE_SITE_URL": "http://localhost:3000",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "1000000", "GOTRUE_RATE_LIMIT_VERIFY": "1000000",
    "GOTRUE_RATE_LIMIT_TOKEN_REFRESH": "1000000", "GOTRUE_RATE_LIMIT_OTP": "1000000",
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(claims: dict, secret: str = SECRET) -> str:
    head = b64u(b'{"alg":"HS256","typ":"JWT"}')
    body = b64u(json.dumps(claims, separators=(",", ":")).encode())
    return f"{head}.{body}." + b64u(hmac.new(secret.encode(), f"{head}.{body}".encode(), hashlib.sha256).digest())


def api_key(role: str) -> str:
    now = int(time.time())
    return jwt({"iss": "supabase", "role": role, "iat": now, "exp": now + 10 * 365 * 86400})


def user_token(user_id: str, email: str) -> str:
    """An access token without a session, so that it needs no sign-in."""
    now = int(time.time())
    return jwt({"aud": "authenticated", "exp": now + 86400, "iat": now, "iss": "bench", "sub": user_id, "email": email, "phone": "",
                "app_metadata": {"provider": "email", "providers": ["email"]}, "user_metadata": {}, "role": "authenticated",
                "aal": "aal1", "amr": [{"method": "password", "timestamp": now}], "is_anonymous": False})


class Connection:
    """A kept-alive connection that speaks JSON."""

    def __init__(self, port: int, timeout: float = 30):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def call(self, method: str, path: str, body: dict | None = None, headers: dict | None = None):
        """(status, JSON or text); raises OSError or HTTPException where there is no answer."""
        data = None if body is None else json.dumps(body).encode()
        sent = {**({"Content-Type": "application/json"} if data else {}), **(headers or {})}
        self.http.request(method, path, data, sent)
        answer = self.http.getresponse()
        text = answer.read()
        try:
            return answer.status, json.loads(text) if text else None
        except ValueError:
            return answer.status, text.decode("utf-8", "replace")

    def close(self):
        self.http.close()


class Gateway:
    """One running gateway with a data folder of its own."""

    def __init__(self, environment: dict | None = None, arguments: tuple = (), data: str | None = None, loops: int | None = None,
                 wrapper: tuple = (), port: int | None = None):
        self.port = port or free_port()
        self.own_folder = data is None
        self.data = data or tempfile.mkdtemp(prefix="drawbridge-")
        self.url = f"http://127.0.0.1:{self.port}"
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("GOTRUE_", "DRAWBRIDGE_", "SUPABASE_")) and k != "PORT"}
        self.environment = {**keep, "DRAWBRIDGE_DATA": os.path.join(self.data, "data"), **(environment or {})}
        self.command = [*wrapper, str(BINARY), "serve", "--listen", f"127.0.0.1:{self.port}", *arguments]
        if loops:
            self.command += ["--loops", str(loops)]
        self.log = os.path.join(self.data, "server.log")
        self.process: subprocess.Popen | None = None

    def start(self, patience: float = 30) -> float:
        """Starts it and waits until it answers; the seconds that took."""
        begin = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, cwd=self.data)
        while time.monotonic() < begin + patience:
            if self.process.poll() is not None:
                break
            if self.answers():
                return time.monotonic() - begin
            time.sleep(0.001)
        self.kill()
        raise RuntimeError("the gateway did not become ready: " + self.output()[-1500:])

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as sock:
                sock.sendall(b"GET /auth/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                return sock.recv(64).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def output(self) -> str:
        return pathlib.Path(self.log).read_text("utf-8", "replace") if os.path.exists(self.log) else ""

    def keys(self, patience: float = 5) -> dict[str, str]:
        """role -> API key, as the start prints them; it may answer a moment before it has printed."""
        end = time.monotonic() + patience
        while True:
            found = self.printed_keys()
            if {"anon", "service_role"} <= set(found) or time.monotonic() > end:
                return found
            time.sleep(0.02)

    def printed_keys(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for token in JWT.findall(self.output()):
            part = token.split(".")[1]
            role = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))).get("role")
            found.setdefault(role, token)
        for pattern, role in ((r"sb_publishable_[\w-]+", "anon"), (r"sb_secret_[\w-]+", "service_role")):
            if (match := re.search(pattern, self.output())) and role not in found:
                found[role] = match[0]
        return found

    def connection(self) -> Connection:
        return Connection(self.port)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self) -> int | None:
        """Ends it by SIGTERM; its exit status."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode if self.process else None

    def remove(self):
        if self.own_folder:
            shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.remove()

    def databases(self) -> list[pathlib.Path]:
        """The SQLite files in the data folder."""
        out = []
        for path in pathlib.Path(self.data).rglob("*"):
            if path.is_file() and not path.name.endswith(("-wal", "-shm")):
                with open(path, "rb") as file:
                    if file.read(15) == b"SQLite format 3":
                        out.append(path)
        return out
