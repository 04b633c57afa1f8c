"""A disk that is full, and files that may not grow: writes are refused as a passing fault, nothing acknowledged is lost, and it goes on after."""
import resource
import sqlite3
import subprocess
import tempfile
import time
import unittest

from gateway import UNLIMITED, Gateway, api_key

TRIES = 400


class FullDisk(unittest.TestCase):
    def create(self, number: int) -> tuple[int, dict]:
        headers = {"Authorization": "Bearer " + api_key("service_role")}
        return self.connection.call("POST", "/admin/users", {"email": f"user{number}@example.com", "email_confirm": True}, headers)

    def known(self, number: int) -> bool:
        headers = {"Authorization": "Bearer " + api_key("service_role")}
        status, user = self.connection.call("GET", f"/admin/users/{self.made[number]}", headers=headers)
        return status == 200 and user["email"] == f"user{number}@example.com"

    def fill(self):
        """Makes accounts until one is refused; checks the refusal and that reads go on."""
        for number in range(len(self.made), TRIES):
            status, answer = self.create(number)
            if status != 200:
                break
            self.made[number] = answer["id"]
        else:
            self.fail("the disk is never full")
        for _ in range(3):
            status, answer = self.create(number)
            self.assertEqual(status, 503, answer)
            self.assertEqual((answer["code"], answer["error_code"]), (503, "unexpected_failure"))
            self.assertNotIn("SQLite", answer["msg"])
        self.assertTrue(self.known(0))

    def recover(self):
        """Waits until an account can be made again; then everybody who was answered is there, now and after a restart."""
        number, end = TRIES, time.monotonic() + 10
        while self.create(number)[0] != 200:
            self.assertLess(time.monotonic(), end, "it does not go on")
            time.sleep(0.05)
        self.assertEqual(self.connection.call("GET", "/readyz")[0], 200)
        self.assertEqual([n for n in self.made if not self.known(n)], [])
        self.assertEqual(self.gateway.stop(), 0)
        for path in self.gateway.databases():
            with sqlite3.connect(path) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            database.close()
        self.gateway.start()
        self.connection = self.gateway.connection()
        self.assertEqual([n for n in self.made if not self.known(n)], [])

    def start(self, folder: str):
        self.made: dict[int, str] = {}
        self.gateway = Gateway(UNLIMITED, data=folder)
        self.addCleanup(self.gateway.stop)
        self.gateway.start()
        self.connection = self.gateway.connection()
        status, answer = self.create(0)
        self.assertEqual(status, 200, answer)
        self.made[0] = answer["id"]

    def test_a_full_disk(self):
        with tempfile.TemporaryDirectory(prefix="drawbridge-disk-") as folder:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], capture_output=True, text=True)
            if mounted.returncode != 0:
                self.skipTest("a small file system cannot be mounted: " + mounted.stderr.strip())
            try:
                self.start(folder)
                self.fill()
                subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
                self.recover()
            finally:
                self.gateway.kill()
                subprocess.run(["umount", "-l", folder], check=True)

    def test_files_that_may_not_grow(self):
        with tempfile.TemporaryDirectory(prefix="drawbridge-disk-") as folder:
            self.start(folder)
            pid = self.gateway.process.pid
            before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            try:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, before[1]))
                self.fill()
                self.assertEqual(self.connection.call("GET", "/readyz")[0], 503)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
                self.recover()
            finally:
                self.gateway.kill()


if __name__ == "__main__":
    unittest.main()
