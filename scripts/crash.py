#!/usr/bin/env python3
"""Kills the gateway under 50 writers, again and again, and looks whether anything acknowledged was lost.

  crash.py [--rounds N] [--writers N] [--seed N] [--keep]

A round: start on the same data (ready in under a second), check everything that was acknowledged before, let the writers run for a moment,
kill -9, check a copy of the database. Checked: every acknowledged sign-up is there; the last acknowledged refresh token of every session
still works and no token has two children; metadata is never older than acknowledged; `PRAGMA integrity_check` is ok.
Exit status: 0 all kept, 1 something lost.
"""
from __future__ import annotations

import argparse
import http.client
import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gateway import UNLIMITED, Connection, Gateway, api_key  # noqa: E402

READY_SECONDS_MAX = 1.0
GONE = (OSError, http.client.HTTPException)


class Account:
    """A signed-up user as its writer knows it: what was acknowledged last, and what was sent after that."""

    def __init__(self, answer: dict):
        self.id, self.email = answer["user"]["id"], answer["user"]["email"]
        self.access, self.refresh = answer["access_token"], answer["refresh_token"]
        self.acknowledged = self.sent = 0


class Crash:
    def __init__(self, arguments):
        self.rounds, self.writers = arguments.rounds, arguments.writers
        self.random = random.Random(arguments.seed)
        self.problems: list[str] = []
        self.lock = threading.Lock()
        self.signed_up: dict[str, str] = {}      # id -> address, acknowledged and not yet looked up
        self.counts = {"sign-ups": 0, "refreshes": 0, "updates": 0, "refused": 0}
        self.refreshers: list[Account] = []
        self.updaters: list[Account] = []
        self.number, self.running = 0, False
        self.slowest = 0.0
        self.admin = {"Authorization": f"Bearer {api_key('service_role')}"}
        self.gateway = Gateway({**UNLIMITED, "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "0"})

    def problem(self, text: str):
        with self.lock:
            self.problems.append(text)
            print("LOST: " + text, flush=True)

    def count(self, what: str):
        with self.lock:
            self.counts[what] += 1

    # -- the writers

    def sign_up(self, connection: Connection) -> Account | None:
        with self.lock:
            self.number += 1
            email = f"crash-{self.number}@example.com"
        status, answer = connection.call("POST", "/signup", {"email": email, "password": "correct horse battery"})
        if status in (429, 503):
            self.count("refused")
            time.sleep(0.02)
            return None
        if status != 200 or "access_token" not in answer:
            self.problem(f"sign-up answered {status} {str(answer)[:200]}")
            return None
        self.count("sign-ups")
        return Account(answer)

    def sign_ups(self, connection: Connection):
        if account := self.sign_up(connection):
            with self.lock:
                self.signed_up[account.id] = account.email

    def refresh(self, account: Account, connection: Connection) -> bool:
        status, answer = connection.call("POST", "/token?grant_type=refresh_token", {"refresh_token": account.refresh})
        if status in (409, 503):
            self.count("refused")
            return False
        if status != 200:
            self.problem(f"a refresh with the last acknowledged token answered {status} {str(answer)[:200]}")
            return False
        account.refresh, account.access = answer["refresh_token"], answer["access_token"]
        self.count("refreshes")
        return True

    def race(self, account: Account, one: Connection, other: Connection):
        """The same token twice at once: both must get the same successor."""
        before = account.refresh
        body = {"refresh_token": before}
        results: list = []

        def call(connection: Connection):
            try:
                results.append(connection.call("POST", "/token?grant_type=refresh_token", body))
            except GONE:
                connection.close()
        helper = threading.Thread(target=call, args=(other,))
        helper.start()
        call(one)
        helper.join()
        good = {a["refresh_token"] for s, a in results if s == 200}
        if len(good) > 1:
            self.problem("one token was exchanged for two different ones")
        if any(s not in (200, 409, 503) for s, _ in results):
            self.problem(f"a race answered {[s for s, _ in results]}")
        if good:
            account.refresh = good.pop()
            self.count("refreshes")

    def update(self, account: Account, connection: Connection):
        account.sent += 1
        status, answer = connection.call("PUT", "/user", {"data": {"n": account.sent}}, {"Authorization": f"Bearer {account.access}"})
        if status == 200:
            account.acknowledged = account.sent
            self.count("updates")
        elif status == 503:
            self.count("refused")
        else:
            self.problem(f"an update answered {status} {str(answer)[:200]}")

    def write(self, index: int):
        one, other, turn = self.gateway.connection(), self.gateway.connection(), 0
        while self.running:
            turn += 1
            try:
                if index % 5 == 0:
                    self.sign_ups(one)
                elif index % 5 < 3:
                    account = self.refreshers[index]
                    self.race(account, one, other) if turn % 8 == 0 else self.refresh(account, one)
                else:
                    self.update(self.updaters[index], one)
            except GONE:
                one.close()
                other.close()
                if not self.gateway.process or self.gateway.process.poll() is not None:
                    return
        one.close()
        other.close()

    # -- the checks

    def check_copy(self):
        """The database as the kill left it, opened from a copy so that the gateway's own recovery is tested too."""
        with tempfile.TemporaryDirectory(prefix="crash-copy-") as folder:
            copy = pathlib.Path(folder) / "data"
            shutil.copytree(self.gateway.data, copy, ignore=shutil.ignore_patterns("*.sock"))
            found = [copy / p.relative_to(self.gateway.data) for p in self.gateway.databases()]
            if not found:
                self.problem("there is no database in the data folder")
            for path in found:
                base = sqlite3.connect(path)
                verdict = base.execute("PRAGMA integrity_check").fetchall()
                if verdict != [("ok",)]:
                    self.problem(f"integrity_check of {path.name}: {verdict[:3]}")
                tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if "refresh_tokens" in tables:
                    twice = base.execute("SELECT parent, count(*) FROM refresh_tokens WHERE coalesce(parent, '') != '' "
                                         "GROUP BY parent HAVING count(*) > 1").fetchall()
                    if twice:
                        self.problem(f"{len(twice)} refresh tokens were spent twice")
                base.close()

    def check_all(self):
        looked_up, self.signed_up = self.signed_up, {}
        accounts = [a for a in self.refreshers + self.updaters if a]

        def user(item):
            status, answer = self.mine().call("GET", f"/admin/users/{item[0]}", headers=self.admin)
            if status != 200 or not answer or answer.get("email") != item[1] or not answer.get("identities"):
                self.problem(f"the sign-up of {item[1]} is gone: {status} {str(answer)[:120]}")

        def metadata(account: Account):
            status, answer = self.mine().call("GET", "/user", headers={"Authorization": f"Bearer {account.access}"})
            seen = (answer.get("user_metadata") or {}).get("n", 0) if status == 200 and answer else None
            if seen is None or not account.acknowledged <= seen <= account.sent:
                self.problem(f"metadata is {seen}, acknowledged {account.acknowledged}, sent {account.sent} ({status})")
            else:
                account.acknowledged = account.sent = max(seen, account.acknowledged)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(user, looked_up.items()))
            list(pool.map(metadata, [a for a in self.updaters if a]))
            list(pool.map(lambda a: self.refresh(a, self.mine()), accounts))

    def mine(self) -> Connection:
        """A connection of the calling thread and this run of the server."""
        local = self.local
        if getattr(local, "run", None) != self.run_number:
            local.connection, local.run = self.gateway.connection(), self.run_number
        return local.connection

    # -- the whole

    def seed(self):
        with ThreadPoolExecutor(4) as pool:
            def one(_):
                while True:
                    if account := self.sign_up(self.mine()):
                        return account
            self.refreshers = list(pool.map(one, range(self.writers)))
            self.updaters = list(pool.map(one, range(self.writers)))

    def run(self) -> int:
        self.local, self.run_number = threading.local(), 0
        begin = time.monotonic()
        for number in range(1, self.rounds + 1):
            self.run_number = number
            ready = self.gateway.start()
            self.slowest = max(self.slowest, ready)
            if number > 1 and ready > READY_SECONDS_MAX:
                self.problem(f"ready only after {ready:.2f} s")
            if number == 1:
                self.seed()
            else:
                self.check_all()
            self.running = True
            threads = [threading.Thread(target=self.write, args=(i,), daemon=True) for i in range(self.writers)]
            for thread in threads:
                thread.start()
            time.sleep(self.random.uniform(0.2, 1.0))
            self.gateway.kill()
            self.running = False
            for thread in threads:
                thread.join()
            self.check_copy()
            if self.problems:
                break
        self.run_number += 1
        if not self.problems:
            self.gateway.start()
            self.check_all()
            if self.gateway.stop() != 0:
                self.problem(f"SIGTERM ended it with {self.gateway.process.returncode}")
        counts = ", ".join(f"{n} {what}" for what, n in self.counts.items())
        print(f"{self.run_number - 1} kills in {time.monotonic() - begin:.0f} s: {counts}; slowest start {self.slowest * 1000:.0f} ms; "
              f"{len(self.problems)} problems")
        return 1 if self.problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="leave the data folder")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    crash = Crash(arguments)
    try:
        return crash.run()
    except (RuntimeError, *GONE) as why:
        print(f"could not run: {why}")
        return 1
    finally:
        crash.gateway.kill()
        if not arguments.keep:
            crash.gateway.remove()


if __name__ == "__main__":
    sys.exit(main())
