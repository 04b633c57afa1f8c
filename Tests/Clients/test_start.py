"""What a person sees who starts the gateway: with nothing set, with something wrong, and a second time."""
import os
import stat
import subprocess
import unittest

from gateway import BINARY, Gateway

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("DRAWBRIDGE_")}


class Start(unittest.TestCase):
    def test_with_no_settings_everything_is_made_and_printed(self):
        with Gateway() as gateway:
            keys = gateway.keys()
            output = gateway.output()
            self.assertEqual(set(keys) & {"anon", "service_role"}, {"anon", "service_role"}, output)
            for text in (gateway.url, "/inbox"):
                self.assertIn(text, output)
            status, _ = gateway.connection().call("GET", "/auth/v1/settings", headers={"apikey": keys["anon"]})
            self.assertEqual(status, 200)
            folder = os.path.join(gateway.data, "data")
            self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & 0o077, 0, name)

    def test_keys_stay_the_same_over_a_restart(self):
        gateway = Gateway()
        try:
            gateway.start()
            before = gateway.keys()
            self.assertEqual(gateway.stop(), 0)
            os.remove(gateway.log)
            gateway.start()
            self.assertEqual(gateway.keys(), before)
        finally:
            gateway.stop()
            gateway.remove()

    def test_a_wrong_setting_stops_the_start_with_its_name(self):
        for name, value in (("DRAWBRIDGE_LOOPS", "two"), ("GOTRUE_JWT_EXP", "soon"), ("DRAWBRIDGE_POLICY", "mine"),
                            ("SMTP_HOST", "a b")):
            done = subprocess.run([BINARY, "check"], env={**ENVIRONMENT, name: value}, capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 78, done.stdout + done.stderr)
            self.assertIn(name, done.stdout + done.stderr)

    def test_an_address_and_a_folder_in_use_are_refused(self):
        with Gateway() as gateway:
            folder = os.path.join(gateway.data, "data")
            same_port = subprocess.run([BINARY, "serve", "--listen", f"127.0.0.1:{gateway.port}", "--data", folder + "-other"],
                                       env=ENVIRONMENT, capture_output=True, text=True, timeout=20)
            self.assertEqual(same_port.returncode, 69, same_port.stderr)
            same_folder = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", folder],
                                         env=ENVIRONMENT, capture_output=True, text=True, timeout=20)
            self.assertEqual(same_folder.returncode, 69, same_folder.stderr)
            self.assertIn("in use by another process", same_folder.stderr)
            self.assertIn(folder, same_folder.stderr)
            self.assertTrue(gateway.answers())

    def test_the_inbox_and_metrics_are_for_this_machine_alone(self):
        with Gateway() as gateway:
            for path in ("/inbox", "/inbox/messages", "/metrics"):
                self.assertEqual(gateway.connection().call("GET", path)[0], 200, path)
                # What a proxy on this machine says of a caller from elsewhere.
                for name in ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded"):
                    status, _ = gateway.connection().call("GET", path, headers={name: "203.0.113.9"})
                    self.assertEqual(status, 404, f"{path} with {name}")

    def test_check_shows_what_is_in_force(self):
        name = "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL"
        for policy, wanted in (("sovaria", "10"), ("supabase", "0")):
            done = subprocess.run([BINARY, "check"], env={**ENVIRONMENT, "DRAWBRIDGE_POLICY": policy}, capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{name} = {wanted}  (default)", done.stdout)

    def test_check_warns_of_what_is_hardly_meant(self):
        for name, value in (("ANON_KEY", "x"), ("JWT_SECRET", "short"), ("SSL_CERT_FILE", "/no/such/file.pem"),
                            ("GOTRUE_URI_ALLOW_LIST", "https://[a"), ("GOTRUE_URI_ALLOW_LIST", "*.example.com")):
            done = subprocess.run([BINARY, "check"], env={**ENVIRONMENT, name: value}, capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"drawbridge: warning: {name}: ", done.stderr)

    def test_secrets_are_not_shown_by_check(self):
        secret = "a-very-secret-value-of-thirty-two-characters"
        done = subprocess.run([BINARY, "check"], env={**ENVIRONMENT, "GOTRUE_JWT_SECRET": secret}, capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(secret, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
