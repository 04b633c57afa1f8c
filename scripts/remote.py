#!/usr/bin/env python3
"""Two gateways with the remote backend in front of one server: what clients see of it.

  remote.py outage [--seconds N]    the server is killed under load and started again: 503 with Retry-After, nobody is signed out,
                                    and every gateway serves again within a second of the server
  remote.py tls                     the server is asked over TLS: a certificate that is trusted and for its name is taken, no other
  remote.py races [--rounds N]      one refresh token and one code used through both gateways at once

Uses the release binary, or what DRAWBRIDGE_BINARY names. Exit status: 0 all holds, 1 something does not.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gateway import SECRET, UNLIMITED, Connection, Gateway, api_key, free_port  # noqa: E402

PASSWORD = "correct horse battery"
RULES = {**UNLIMITED, "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "1"}
FAULTS: list[str] = []


def fault(text: str):
    FAULTS.append(text)
    print("NOT HELD:", text, flush=True)


class World:
    """A server and two gateways before it."""

    def __init__(self):
        self.server = Gateway(RULES, port=free_port())
        remote = {**UNLIMITED, "DRAWBRIDGE_BACKEND": "remote", "DRAWBRIDGE_REMOTE_URL": self.server.url, "GOTRUE_JWT_SECRET": SECRET}
        self.gateways = [Gateway(remote), Gateway(remote)]
        self.key, self.service = api_key("anon"), api_key("service_role")
        self.root = {"apikey": self.service, "Authorization": f"Bearer {self.service}"}

    def __enter__(self):
        self.server.start()
        for gateway in self.gateways:
            gateway.start()
        return self

    def __exit__(self, *_):
        for one in (*self.gateways, self.server):
            one.stop()
            one.remove()

    def connection(self, number: int, timeout: float = 15) -> Connection:
        return Connection(self.gateways[number % len(self.gateways)].port, timeout)

    def user(self, email: str) -> dict:
        status, user = self.connection(0).call("POST", "/auth/v1/admin/users", {"email": email, "password": PASSWORD, "email_confirm": True}, self.root)
        assert status == 200, user
        return user

    def sign_in(self, email: str, number: int = 0) -> dict:
        for _ in range(100):
            status, session = self.connection(number).call("POST", "/auth/v1/token?grant_type=password", {"email": email, "password": PASSWORD}, {"apikey": self.key})
            if status == 200:
                return session
            assert status in (429, 503), session
            time.sleep(0.1)
        raise RuntimeError("no sign-in")

    def refresh(self, number: int, token: str):
        return self.connection(number).call("POST", "/auth/v1/token?grant_type=refresh_token", {"refresh_token": token}, {"apikey": self.key})

    def show(self, number: int, token: str):
        return self.connection(number).call("GET", "/auth/v1/user", headers={"apikey": self.key, "Authorization": f"Bearer {token}"})


class Client(threading.Thread):
    """An app: reads its user and refreshes, keeps its session through every 5xx, and is signed out by a 4xx."""

    def __init__(self, world: World, number: int, session: dict, stop: threading.Event):
        super().__init__(daemon=True)
        self.world, self.number, self.session, self.ending = world, number, session, stop
        self.seen: list[tuple[float, float, int, str]] = []
        self.http: http.client.HTTPConnection | None = None

    def run(self):
        turn = self.number
        while not self.ending.is_set():
            turn += 1
            headers = {"apikey": self.world.key, "Content-Type": "application/json"}
            refreshes = turn % 5 == 0
            try:
                if self.http is None:
                    self.http = self.world.connection(self.number).http
                begin = time.monotonic()
                if refreshes:
                    self.http.request("POST", "/auth/v1/token?grant_type=refresh_token", json.dumps({"refresh_token": self.session["refresh_token"]}), headers)
                else:
                    self.http.request("GET", "/auth/v1/user", headers={**headers, "Authorization": "Bearer " + self.session["access_token"]})
                answer = self.http.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException) as why:
                self.http = None
                fault(f"a gateway itself gave no answer: {why!r}")
                continue
            now = time.monotonic()
            self.seen.append((now, now - begin, answer.status, answer.getheader("Retry-After") or ""))
            if answer.status == 200 and refreshes:
                self.session = json.loads(text)
            elif 400 <= answer.status < 500:
                fault(f"signed out: {answer.status} {text[:200]!r}")
                return
            elif answer.status != 200:
                time.sleep(0.05)


def outage(arguments) -> None:
    with World() as world:
        emails = [f"client-{n}@example.com" for n in range(8)]
        for email in emails:
            world.user(email)
        stop = threading.Event()
        clients = [Client(world, n, world.sign_in(emails[n % 8], n), stop) for n in range(24)]
        for client in clients:
            client.start()
        time.sleep(arguments.seconds)
        killed = time.monotonic()
        world.server.kill()
        time.sleep(arguments.seconds)
        world.server.start()
        back = time.monotonic()
        time.sleep(max(2, arguments.seconds))
        stop.set()
        for client in clients:
            client.join(20)
        seen = sorted(entry for client in clients for entry in client.seen)
        failed = [entry for entry in seen if entry[2] != 200]
        if not failed:
            fault("nobody noticed the outage: too little load")
        for when, _, status, delay in failed:
            if status not in (502, 503, 504):
                fault(f"status {status}")
            elif not delay.isdigit() or not 1 <= int(delay) <= 10:
                fault(f"{status} with Retry-After {delay!r}")
            if when > back + 1:
                fault(f"{status} still {when - back:.2f} s after the server was back")
            if when < killed:
                fault(f"{status} before the server was killed")
        for number in range(len(world.gateways)):
            first = min((entry[0] for client in clients[number::2] for entry in client.seen if entry[0] > back and entry[2] == 200), default=None)
            if first is None or first > back + 1:
                fault(f"gateway {number} did not serve again within a second")
        for client in clients:
            status, answer = world.refresh(client.number, client.session["refresh_token"])
            if status != 200:
                fault(f"a session did not survive: {status} {answer}")
        slowest = max((entry[1] for entry in failed), default=0)
        print(f"{len(seen)} answers of 24 clients, {len(failed)} of them 5xx while the server was away for {back - killed:.1f} s, told within {slowest * 1000:.0f} ms; "
              f"the last {max((e[0] for e in failed), default=back) - back:+.2f} s after it was back", flush=True)


def together(calls: list) -> list:
    gate = threading.Barrier(len(calls))

    def run(call):
        gate.wait()
        return call()
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def races(arguments) -> None:
    with World() as world:
        for number in range(arguments.rounds):
            email = f"racer-{number}@example.com"
            world.user(email)
            first = world.sign_in(email, number)
            answers = together([lambda n=n: world.refresh(n, first["refresh_token"]) for n in range(16)])
            for status, answer in answers:
                if status != 200:
                    fault(f"a refresh at the same time as others: {status} {answer}")
            tokens = {answer["refresh_token"] for status, answer in answers if status == 200}
            for n, token in enumerate(tokens):
                if world.refresh(n, token)[0] != 200:
                    fault("a token that was given out is not good")
            if number == 0:
                late = world.sign_in(email, 1)
                status, child = world.refresh(0, late["refresh_token"])
                time.sleep(1.6)
                for n in range(2):
                    status, again = world.refresh(n, late["refresh_token"])
                    if status != 200 or again["refresh_token"] != child["refresh_token"]:
                        fault(f"the lost answer's token is not told again: {status} {again}")
            one_time(world, email)
        print(f"{arguments.rounds} rounds of 16 refreshes and 16 uses of a code through two gateways at once", flush=True)


def one_time(world: World, email: str) -> None:
    status, link = world.connection(0).call("POST", "/auth/v1/admin/generate_link", {"type": "magiclink", "email": email}, world.root)
    if status != 200:
        fault(f"no link: {status} {link}")
        return
    body = {"type": "email", "email": email, "token": link["email_otp"]}
    answers = together([lambda n=n: world.connection(n).call("POST", "/auth/v1/verify", body) for n in range(16)])
    good = sum(1 for status, _ in answers if status == 200)
    if good != 1 or any(status not in (200, 403) for status, _ in answers):
        fault(f"a code was good {good} times: {sorted(status for status, _ in answers)}")


class Relay:
    """Takes TLS off and passes bytes on to a port."""

    def __init__(self, port: int, certificate: str, key: str):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.target, self.listener = port, socket.create_server(("127.0.0.1", 0))
        self.port, self.connections = self.listener.getsockname()[1], 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(raw,), daemon=True).start()

    def serve(self, raw: socket.socket):
        try:
            secure = self.context.wrap_socket(raw, server_side=True)
        except (OSError, ssl.SSLError):
            raw.close()
            return
        self.connections += 1
        plain = socket.create_connection(("127.0.0.1", self.target))
        try:
            self.copy(secure, plain)
        except OSError:
            pass
        secure.close()
        plain.close()

    @staticmethod
    def copy(secure, plain):
        """One thread alone: a TLS connection must not be read and written at once."""
        while True:
            ready = [secure] if secure.pending() else select.select([secure, plain], [], [])[0]
            for source, target in ((secure, plain), (plain, secure)):
                if source in ready:
                    data = source.recv(16384)
                    if not data:
                        return
                    target.sendall(data)


def certificate(folder: str, name: str, subject: str) -> tuple[str, str]:
    """A certificate that signs itself, and its key."""
    files = os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                    "-addext", f"subjectAltName={subject}", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def tls(_) -> None:
    with World() as world, tempfile.TemporaryDirectory() as folder:
        world.user("secure@example.com")
        good = certificate(folder, "good", "DNS:localhost,IP:127.0.0.1")
        other = certificate(folder, "other", "DNS:other.example")
        trusted = os.path.join(folder, "trusted.pem")
        pathlib.Path(trusted).write_text(pathlib.Path(good[0]).read_text() + pathlib.Path(other[0]).read_text())
        relays = {"good": Relay(world.server.port, *good), "other": Relay(world.server.port, *other)}
        cases = [("by name", "localhost", "good", trusted, 200), ("by address", "127.0.0.1", "good", trusted, 200),
                 ("for another name", "localhost", "other", trusted, 503), ("not trusted", "localhost", "good", other[0], 503)]
        for what, host, relay, roots, wanted in cases:
            gateway = Gateway({**UNLIMITED, "DRAWBRIDGE_BACKEND": "remote", "DRAWBRIDGE_REMOTE_URL": f"https://{host}:{relays[relay].port}", "SSL_CERT_FILE": roots,
                               "DRAWBRIDGE_LOG": "json"})
            gateway.start()
            try:
                for _ in range(20 if wanted == 200 else 2):
                    status, answer = gateway.connection().call("POST", "/auth/v1/token?grant_type=password", {"email": "secure@example.com", "password": PASSWORD},
                                                               {"apikey": world.key})
                    if status != wanted:
                        fault(f"a certificate {what}: {status} {answer}, wanted {wanted}")
                if wanted != 200:
                    time.sleep(0.2)
                    if "certificate" not in gateway.output():
                        fault(f"a certificate {what}: the log does not tell why")
            finally:
                gateway.stop()
                gateway.remove()
        if relays["good"].connections > 12:
            fault(f"{relays['good'].connections} connections for 40 requests: they are not kept")
        print(f"{len(cases)} certificates; {relays['good'].connections} connections for the requests that were answered", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["outage", "races", "tls"])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    {"outage": outage, "races": races, "tls": tls}[arguments.what](arguments)
    print(f"{arguments.what}: {'all holds' if not FAULTS else f'{len(FAULTS)} faults'}")
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
