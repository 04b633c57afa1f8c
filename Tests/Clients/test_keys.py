"""Signing keys that the command makes: set, used, followed by others, while the tokens before stay good."""
import os
import subprocess
import unittest

from gateway import BINARY, Gateway

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DRAWBRIDGE_", "GOTRUE_", "JWT_"))}
PASSWORD = "a-good-password"


def new_keys(*words: str, **settings: str) -> subprocess.CompletedProcess:
    return subprocess.run([BINARY, "keys", "new", *words], env={**ENVIRONMENT, **settings}, capture_output=True, text=True, timeout=20)


class SigningKeys(unittest.TestCase):
    def sign_in(self, gateway: Gateway, path: str = "/token?grant_type=password") -> str:
        status, answer = gateway.connection().call("POST", path, {"email": "keys@example.com", "password": PASSWORD})
        self.assertEqual(status, 200, answer)
        return answer["access_token"]

    def test_each_key_takes_over_and_the_tokens_before_stay_good(self):
        settings = {"GOTRUE_MAILER_AUTOCONFIRM": "true", "GOTRUE_JWT_SECRET": "the-secret-of-the-beginning-32-bytes"}
        gateway = Gateway(settings)
        try:
            gateway.start()
            tokens = [self.sign_in(gateway, "/signup")]
            for algorithm in ("ES256", "RS256", "EdDSA"):
                self.assertEqual(gateway.stop(), 0)
                made = new_keys("--algorithm", algorithm, "--name", f"my-{algorithm}", **settings)
                self.assertEqual(made.returncode, 0, made.stderr)
                settings["GOTRUE_JWT_KEYS"] = made.stdout.strip()
                gateway.environment.update(settings)
                gateway.start()
                tokens.append(self.sign_in(gateway))
                for token in tokens:
                    status, answer = gateway.connection().call("GET", "/user", headers={"Authorization": f"Bearer {token}"})
                    self.assertEqual(status, 200, answer)
                _, answer = gateway.connection().call("GET", "/.well-known/jwks.json")
                shown = answer["keys"]
                self.assertIn(f"my-{algorithm}", [key["kid"] for key in shown])
                self.assertFalse([key for key in shown if "d" in key or key["kty"] == "oct"])
        finally:
            gateway.stop()
            gateway.remove()

    def test_what_cannot_be_made_is_refused_in_words(self):
        for words in (("--algorithm", "ES999"), ("--algorithm", "ES256", "--role", "anon"), ("--algorithm", "ES256", "--name", "a b")):
            made = new_keys(*words)
            self.assertNotEqual(made.returncode, 0)
            self.assertEqual(made.stdout, "")
            self.assertIn("drawbridge: ", made.stderr)


if __name__ == "__main__":
    unittest.main()
