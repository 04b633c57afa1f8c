"""The account's story by plain curl, as a person types it: PATCH, and no content type that curl did not make up."""
import json
import subprocess
import unittest

import inbox
from gateway import Gateway


class Curl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = Gateway()
        cls.gateway.start()
        cls.anon = cls.gateway.keys()["anon"]

    @classmethod
    def tearDownClass(cls):
        cls.gateway.stop()
        cls.gateway.remove()

    def curl(self, *arguments: str, expect: int = 200):
        done = subprocess.run(["curl", "-sS", "--max-time", "20", "-w", "\n%{http_code}", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        body, _, status = done.stdout.rpartition("\n")
        self.assertEqual(int(status), expect, body)
        return json.loads(body) if body else None

    def test_an_account(self):
        auth, key = self.gateway.url + "/auth/v1", f"apikey: {self.anon}"
        email, password = "carl@example.org", "a long enough pass-phrase 4"
        credentials = json.dumps({"email": email, "password": password})
        self.curl("-X", "POST", f"{auth}/signup", "-H", key, "-d", credentials)
        self.curl("-X", "POST", f"{auth}/signup", "-d", credentials, expect=401)
        mail = inbox.wait(self.gateway.url, email)

        redirect = subprocess.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", mail.link],
                                  capture_output=True, text=True).stdout
        self.assertTrue(redirect.startswith(("302", "303")) and "#access_token=" in redirect, redirect)

        session = self.curl("-X", "POST", f"{auth}/token?grant_type=password", "-H", key, "-d", credentials)
        bearer = f"Authorization: Bearer {session['access_token']}"
        for method in ("PATCH", "PUT"):
            user = self.curl("-X", method, f"{auth}/user", "-H", bearer, "-H", key, "-d", '{"data": {"theme": "dark"}}')
            self.assertEqual(user["user_metadata"]["theme"], "dark")
        user = self.curl("-X", "PATCH", f"{auth}/user", "-H", bearer, "-H", key, "-H", "Content-Type:", "-d", '{"data": {"theme": null}}')
        self.assertNotIn("theme", user["user_metadata"])
        self.curl("-X", "PATCH", f"{auth}/user", "-H", bearer, "-H", key, "-d", '{"password": "another long pass-phrase 5"}')
        self.curl("-X", "POST", f"{auth}/token?grant_type=password", "-H", key, "-d", credentials, expect=400)

        again = self.curl("-X", "POST", f"{auth}/token?grant_type=refresh_token", "-H", key,
                          "-d", json.dumps({"refresh_token": session["refresh_token"]}))
        bearer = f"Authorization: Bearer {again['access_token']}"
        self.curl("-X", "POST", f"{auth}/logout", "-H", bearer, "-H", key, expect=204)
        self.curl(f"{auth}/user", "-H", bearer, "-H", key, expect=403)


if __name__ == "__main__":
    unittest.main()
