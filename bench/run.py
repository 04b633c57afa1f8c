#!/usr/bin/env python3
"""Measures the gateway against nginx and haproxy on this machine and writes RESULTS.md beside this file.

  run.py [--users N] [--rounds N] [--seconds N] [--only ROW[,ROW]]

Rows: health, user, remote, update, refresh, flood, size. One loop against one worker, logs off, per-client limits off, in one run, turn about. Ratios of CPU a request
are what counts: one wrk thread is full before a fast server is. Needs what scripts/setup.sh bench installs; figures of other machines do not compare.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import http.client
import json
import os
import pathlib
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "scripts"))
from gateway import BINARY, UNLIMITED, Connection, Gateway, api_key, free_port, user_token  # noqa: E402

WORK = HERE / "work"
CPUBENCH = ROOT / "conformance" / "tools" / "cpubench.py"
# bcrypt, cost 10, of "correct horse battery": users are made with it so that nothing is hashed while they are.
PASSWORD, PASSWORD_HASH = "correct horse battery", "$2b$10$.qdCF6Ws8P5ByHcC6NvtYOS9enKrpo6rDtUuGfkwlg6yYTYOzp3Bu"
SBIN = os.environ["PATH"] + ":/usr/sbin:/sbin"


def program(name: str) -> str:
    found = shutil.which(name, path=SBIN)
    if not found:
        sys.exit(f"{name} is missing: run scripts/setup.sh bench")
    return found


class Peer:
    """nginx or haproxy with a configuration made from a template."""

    def __init__(self, name: str, template: str, values: dict, command):
        self.port = free_port()
        text = (HERE / template).read_text()
        for key, value in {**values, "PORT": str(self.port), "WORK": str(WORK)}.items():
            text = text.replace(f"@{key}@", value)
        file = WORK / template.removesuffix(".in")
        file.write_text(text)
        self.process = subprocess.Popen([program(name), *command(file)], stdout=subprocess.DEVNULL, stderr=open(WORK / f"{name}.log", "wb"))
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                if Connection(self.port, 1).call("GET", "/health")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
        sys.exit(f"{name} did not start: {(WORK / f'{name}.log').read_text()[-500:]}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)


def processor_times() -> list[int]:
    return [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]


def stolen(before: list[int]) -> float:
    """The percentage of time that the host kept for others since then."""
    spent = [now - then for now, then in zip(processor_times(), before)]
    return 100 * spent[7] / max(sum(spent[:8]), 1)


def pace_of_two() -> float:
    """How much two busy processes do at once, in what one does alone: near 1 where two cores are threads of one."""
    def spin(count: int) -> float:
        begin = time.monotonic()
        done = [subprocess.Popen([sys.executable, "-c", "x = 0\nfor i in range(8_000_000): x += i & 7"]) for _ in range(count)]
        for process in done:
            process.wait()
        return time.monotonic() - begin
    return 2 * min(spin(1) for _ in range(3)) / min(spin(2) for _ in range(3))


def quoted(text: str) -> str:
    """For a single-quoted nginx string; `$` would begin a variable, so JSON's own escape stands for it."""
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\\\u0024")


class Bench:
    def __init__(self, arguments):
        self.arguments, self.rows, self.notes = arguments, [], []
        self.key, self.service = api_key("anon"), api_key("service_role")
        self.rounds, self.seconds = arguments.rounds, arguments.seconds
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir()
        self.gateway = Gateway(UNLIMITED, loops=1)
        self.notes.append(f"Two busy processes do {pace_of_two():.2f} × what one does alone on this machine; load, gateway and kernel share it.")
        self.users: list[tuple[str, str]] = []
        self.sessions: list[dict] = []

    # -- the world

    def make_users(self, count: int):
        begin = time.monotonic()
        headers = {"apikey": self.service, "Authorization": f"Bearer {self.service}"}

        def some(first: int):
            connection, out = self.gateway.connection(), []
            for number in range(first, count, 32):
                email = f"user-{number}@example.com"
                status, user = connection.call("POST", "/auth/v1/admin/users", {
                    "email": email, "email_confirm": True, "password_hash": PASSWORD_HASH, "user_metadata": {"name": f"User {number}", "theme": "dark"}}, headers)
                if status != 200:
                    raise RuntimeError(f"making a user answered {status} {user}")
                out.append((user["id"], email))
            return out
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            self.users = [u for part in pool.map(some, range(32)) for u in part]
        self.notes.append(f"{count} users made through the admin API in {time.monotonic() - begin:.0f} s.")

    def sign_in(self, count: int):
        def one(user):
            while True:
                status, session = self.gateway.connection().call("POST", "/auth/v1/token?grant_type=password",
                                                                 {"email": user[1], "password": PASSWORD}, {"apikey": self.key})
                if status == 200:
                    return session
                if status not in (429, 503):
                    raise RuntimeError(f"sign-in answered {status} {session}")
                time.sleep(0.1)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.sessions = list(pool.map(one, random.Random(1).sample(self.users, count)))

    def tokens(self, name: str, tokens: list[str]) -> dict:
        """The environment for a wrk script that reads these."""
        file = WORK / name
        file.write_text("\n".join(tokens) + "\n")
        return {**os.environ, "TOKENS": str(file), "APIKEY": self.key}

    # -- measuring

    def compare(self, path: str, peers: dict, script: str | None = None, env: dict | None = None, own: Gateway | None = None) -> dict:
        command = [sys.executable, str(CPUBENCH), "--json", "-r", str(self.rounds), "-d", str(self.seconds)]
        command += ["-s", str(HERE / script)] if script else []
        command += [f"{name}={peer.port}{where}" for name, (peer, where) in peers.items()] + [f"drawbridge={(own or self.gateway).port}{path}"]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def wrk(self, script: str, path: str, env: dict, seconds: int = 0, connections: int = 64, cores: tuple = ()) -> dict:
        done = subprocess.run([*cores, program("wrk"), "-t1", f"-c{connections}", f"-d{seconds or 2 * self.seconds}s", "--latency", "-s", str(HERE / script),
                               f"{self.gateway.url}{path}"], env=env, capture_output=True, text=True).stdout
        found = {"rps": float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1]), "text": done,
                 "complaints": " ".join(re.findall(r"(?:Non-2xx.*|Socket errors.*)", done))}
        for percent in (50, 99):
            value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)", done).groups()
            found[f"p{percent}_ms"] = float(value) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[unit]
        return found

    def row(self, what: str, measured: str, bar: str, is_met: bool, complaints: str = ""):
        self.rows.append((what, measured + (f" ({complaints})" if complaints else ""), bar, "yes" if is_met and not complaints else "**no**"))
        print(f"{what}: {measured}, wanted {bar}: {'met' if is_met else 'NOT MET'} {complaints}", flush=True)

    def health(self, peers: dict):
        found = self.compare("/auth/v1/health", {n: (p, "/health") for n, p in peers.items()})
        self.ratio("GET /auth/v1/health", found, 1.0)

    def user(self, peers: dict):
        sample = random.Random(2).sample(self.users, min(4000, len(self.users)))
        env = self.tokens("user-tokens", [user_token(*u) for u in sample])
        found = self.compare("/auth/v1/user", {n: (p, "/user") for n, p in peers.items()}, "users.lua", env)
        self.ratio(f"GET /auth/v1/user, {len(self.users):,} users", found, 2.0)

    def remote(self):
        """The same users asked for through nginx and through a gateway with the remote backend, both before one server."""
        sample = random.Random(4).sample(self.users, min(1000, len(self.users)))
        env = self.tokens("remote-tokens", [user_token(*u) for u in sample])
        gateway = Gateway({**UNLIMITED, "DRAWBRIDGE_BACKEND": "remote", "DRAWBRIDGE_REMOTE_URL": self.gateway.url}, loops=1)
        nginx = Peer("nginx", "nginx-proxy.conf.in", {"SERVER": str(self.gateway.port)}, lambda file: ["-c", str(file)])
        try:
            gateway.start()
            found = self.compare("/auth/v1/user", {"nginx": (nginx, "/auth/v1/user")}, "users.lua", env, own=gateway)
        finally:
            gateway.stop()
            gateway.remove()
            nginx.stop()
        own, peer = found["drawbridge"], found["nginx"]
        self.row("GET /auth/v1/user through the remote backend, against nginx proxy_pass to the same server",
                 f"{own['cpu_ratio']:.2f} × nginx's CPU a request ({own['cpu_us']:.2f} µs; nginx {peer['cpu_us']:.2f}); {own['rps']:,.0f}/s (nginx {peer['rps']:,.0f}), "
                 f"p99 {own['p99_us'] / 1000:.2f} ms (nginx {peer['p99_us'] / 1000:.2f})", "≤ 1.2 ×", own["cpu_ratio"] <= 1.2, own["complaints"])

    def ratio(self, what: str, found: dict, bar: float):
        own, nginx, haproxy = found["drawbridge"], found["nginx"], found["haproxy"]
        self.row(what, f"{own['cpu_ratio']:.2f} × nginx's CPU a request ({own['cpu_us']:.2f} µs; nginx {nginx['cpu_us']:.2f}, haproxy {haproxy['cpu_us']:.2f}); "
                 f"{own['rps']:,.0f}/s (nginx {nginx['rps']:,.0f}), p99 {own['p99_us'] / 1000:.2f} ms (nginx {nginx['p99_us'] / 1000:.2f})",
                 f"≤ {bar:.1f} ×", own["cpu_ratio"] <= bar, own["complaints"])

    def update(self):
        env = self.tokens("update-tokens", [s["access_token"] for s in self.sessions])
        self.rate("PUT /auth/v1/user, 64 connections, synchronous=FULL", 20_000, lambda: self.wrk("update.lua", "/auth/v1/user", env, cores=self.apart()))

    def refresh(self):
        def one():
            self.sign_in(len(self.sessions))
            env = self.tokens("refresh-tokens", [s["refresh_token"] for s in self.sessions])
            return self.wrk("refresh.lua", "/auth/v1/token?grant_type=refresh_token", env, cores=self.apart())
        self.rate("refresh, 64 connections, a new token each time", 8_000, one)

    def apart(self) -> tuple:
        """Keeps the loop on the first core and the load on the last, so that neither waits for the other's core; the writer is free."""
        cores = sorted(os.sched_getaffinity(0))
        for thread in pathlib.Path(f"/proc/{self.gateway.process.pid}/task").iterdir():
            if (thread / "comm").read_text().startswith("loop-"):
                os.sched_setaffinity(int(thread.name), cores[:1])
        return ("taskset", "-c", str(cores[-1]))

    def rate(self, what: str, bar: int, measure):
        """Requests a second, in which the load's and the writer's time count as well: they share the cores."""
        before = processor_times()
        rounds = sorted((measure() for _ in range(self.rounds)), key=lambda found: found["rps"])
        for thread in pathlib.Path(f"/proc/{self.gateway.process.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), os.sched_getaffinity(0))
        middle, best = rounds[len(rounds) // 2], rounds[-1]
        self.row(what, f"{middle['rps']:,.0f}/s, p50 {middle['p50_ms']:.2f} ms, p99 {middle['p99_ms']:.2f} ms; best round {best['rps']:,.0f}/s; "
                 f"{stolen(before):.1f} % of the processors' time stolen by the host", f"≥ {bar:,}/s",
                 middle["rps"] >= bar, " ".join(found["complaints"] for found in rounds).strip())

    def flood(self):
        """GET /user at a few connections, without and with password sign-ins that never stop."""
        sample = random.Random(3).sample(self.users, min(1000, len(self.users)))
        env = self.tokens("flood-tokens", [user_token(*u) for u in sample])
        calm = statistics.median(self.wrk("users.lua", "/auth/v1/user", env, self.seconds, 4)["p99_ms"] for _ in range(3))
        stop, answers, waits = threading.Event(), {}, []

        def attack(number: int):
            connection = Connection(self.gateway.port, 60)
            while not stop.is_set():
                begin = time.monotonic()
                try:
                    connection.http.request("POST", "/auth/v1/token?grant_type=password",
                                            json.dumps({"email": self.users[number][1], "password": PASSWORD}), {"apikey": self.key})
                    answer = connection.http.getresponse()
                    answer.read()
                except (OSError, http.client.HTTPException):
                    connection.close()
                    continue
                answers[answer.status] = answers.get(answer.status, 0) + 1
                if answer.status == 503:
                    waits.append(time.monotonic() - begin)
                    if not answer.getheader("Retry-After"):
                        answers["503 without Retry-After"] = 1
                    stop.wait(0.2)      # a client that does as it is told, only sooner
        threads = [threading.Thread(target=attack, args=(i,), daemon=True) for i in range(200)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        busy = statistics.median(self.wrk("users.lua", "/auth/v1/user", env, self.seconds, 4)["p99_ms"] for _ in range(3))
        stop.set()
        for thread in threads:
            thread.join(30)
        seen = ", ".join(f"{n} × {s}" for s, n in sorted(answers.items(), key=str))
        self.row("p99 of GET /user while 200 clients sign in by password", f"{calm:.2f} ms calm, {busy:.2f} ms flooded", "rises < 2 ms", busy - calm < 2)
        slow = 1000 * sorted(waits)[int(len(waits) * 0.99)] if waits else float("nan")
        self.row("a full password queue", f"{seen}; 503 within {slow:.0f} ms (p99, this client's own thread switching included)",
                 "503 with Retry-After at once", bool(waits) and "503 without Retry-After" not in answers)

    def size(self):
        stripped = WORK / "drawbridge-stripped"
        subprocess.run(["strip", "-o", str(stripped), str(BINARY)], check=True)
        megabytes = stripped.stat().st_size / 1e6
        self.row("binary, stripped", f"{megabytes:.1f} MB", "≤ 15 MB", megabytes <= 15)
        gateway = Gateway({**UNLIMITED, "GOTRUE_JWT_SECRET": ""}, loops=1)
        try:
            starts = []
            for _ in range(11):
                starts.append(1000 * gateway.start())
                time.sleep(0.3)
                status = pathlib.Path(f"/proc/{gateway.process.pid}/status").read_text()
                resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
                gateway.stop()
            middle = statistics.median(starts[1:])
            self.row("idle memory (RSS)", f"{resident:.1f} MiB", "≤ 15 MB", resident * 1.048576 <= 15)
            self.row("start to first answer, keys already made", f"{middle:.1f} ms (first start, with all to make: {starts[0]:.0f} ms)", "≤ 15 ms", middle <= 15)
        finally:
            gateway.stop()
            gateway.remove()

    # -- the whole

    def run(self):
        wanted = self.arguments.only.split(",") if self.arguments.only else ["health", "user", "remote", "update", "refresh", "flood", "size"]
        peers: dict = {}
        self.gateway.start()
        try:
            if set(wanted) - {"size"}:
                self.make_users(self.arguments.users if set(wanted) & {"user", "flood"} else 1000)
                self.sign_in(min(256, len(self.users)))
                connection = self.gateway.connection()
                health = connection.call("GET", "/auth/v1/health")[1]
                user = connection.call("GET", "/auth/v1/user", headers={"apikey": self.key, "Authorization": "Bearer " + user_token(*self.users[0])})[1]
                fixed = {n: json.dumps(v, separators=(",", ":")) for n, v in (("HEALTH", health), ("USER", user))}
                for name, text in fixed.items():
                    (WORK / f"{name.lower()}.json").write_text(text)
                peers = {"nginx": Peer("nginx", "nginx.conf.in", {n: quoted(t) for n, t in fixed.items()}, lambda file: ["-c", str(file)]),
                         "haproxy": Peer("haproxy", "haproxy.cfg.in", {}, lambda file: ["-db", "-f", str(file)])}
            for name in wanted:
                getattr(self, name)(*([peers] if name in ("health", "user") else []))
        finally:
            for peer in peers.values():
                peer.stop()
            self.gateway.stop()
            self.gateway.remove()
        if not self.arguments.only:
            self.write()
        return 0 if all(met == "yes" for *_, met in self.rows) else 1

    def write(self):
        model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        version = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        lines = ["# Last benchmark", "",
                 f"Made by `make bench` on {datetime.date.today()}, commit {version or 'unknown'}; {os.cpu_count()} cores ({model[1] if model else platform.machine()}), "
                 f"Linux {platform.release()}. One gateway loop against one nginx worker and one haproxy thread that return the same bytes, logs and per-client limits off, "
                 f"`wrk -t1 -c64` on the same machine, medians of {self.rounds} rounds of {self.seconds} s, turn about. Compare the ratios, not the absolute figures.", "",
                 "| what | measured | wanted | met |", "| --- | --- | --- | --- |",
                 *(f"| {a} | {b} | {c} | {d} |" for a, b, c, d in self.rows), "", *self.notes, ""]
        (HERE / "RESULTS.md").write_text("\n".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", help="rows, separated by commas; RESULTS.md is not written then")
    return Bench(parser.parse_args()).run()


if __name__ == "__main__":
    sys.exit(main())
