"""The inbox page in headless Chromium: it shows a mail, and the mail's link signs the user in at the app."""
import html
import http.server
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import inbox
from gateway import Gateway

APP = b"""<!doctype html><title>app</title><p id=out>waiting</p>
<script>document.getElementById('out').textContent = 'arrived with ' + location.hash + location.search</script>"""


class App(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(APP)))
        self.end_headers()
        self.wfile.write(APP)

    def log_message(self, *_):
        pass


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
        threading.Thread(target=cls.app.serve_forever, daemon=True).start()
        cls.gateway = Gateway({"GOTRUE_SITE_URL": f"http://127.0.0.1:{cls.app.server_address[1]}"})
        cls.gateway.start()
        cls.profile = tempfile.mkdtemp(prefix="chromium-")

    @classmethod
    def tearDownClass(cls):
        cls.gateway.stop()
        cls.gateway.remove()
        cls.app.shutdown()
        shutil.rmtree(cls.profile, ignore_errors=True)

    def visit(self, url: str) -> str:
        """The page's DOM once its scripts have run."""
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                               f"--user-data-dir={self.profile}", "--virtual-time-budget=5000", "--dump-dom", url],
                              capture_output=True, text=True, timeout=90)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        return done.stdout

    def test_the_inbox_shows_a_mail_and_its_link_works(self):
        key = self.gateway.keys()["anon"]
        status, _ = self.gateway.connection().call("POST", "/auth/v1/signup",
                                                   {"email": "dora@example.org", "password": "a long enough pass-phrase 6"}, {"apikey": key})
        self.assertEqual(status, 200)
        mail = inbox.wait(self.gateway.url, "dora@example.org")
        page = self.visit(f"{self.gateway.url}/inbox")
        for text in ("dora@example.org", mail.subject, mail.code):
            self.assertIn(text, html.unescape(page))
        links = [html.unescape(link) for link in re.findall(r'href="([^"]+)"', page)]
        verify = [link for link in links if "/verify?" in link]
        self.assertTrue(verify, f"no link to /verify among {links}")
        self.assertIn("arrived with #access_token=", self.visit(verify[0]))

    def test_what_a_mail_says_cannot_run_in_the_page(self):
        key = self.gateway.keys()["anon"]
        evil = '<script>document.title="owned"</script><img src=x onerror=document.title="owned">'
        self.gateway.connection().call("POST", "/auth/v1/signup", {
            "email": "eve@example.org", "password": "a long enough pass-phrase 7", "data": {"name": evil}}, {"apikey": key})
        inbox.wait(self.gateway.url, "eve@example.org")
        self.assertNotIn("<title>owned", self.visit(f"{self.gateway.url}/inbox"))


if __name__ == "__main__":
    unittest.main()
