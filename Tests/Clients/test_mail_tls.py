"""Mail goes out encrypted, by STARTTLS and by TLS from the start, and to nobody whose certificate is not trusted."""
import email
import email.policy
import re
import tempfile
import unittest

from gateway import UNLIMITED, Gateway
from mailserver import MailServer, make_certificate

ADDRESS = "127.0.0.1"


class MailOverTLS(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drawbridge-mail-")
        self.addCleanup(folder.cleanup)
        self.certificate = make_certificate(folder.name, ADDRESS)

    def server(self, **options) -> MailServer:
        server = MailServer(ADDRESS, certificate=self.certificate, **options)
        self.addCleanup(server.close)
        return server

    def gateway(self, server: MailServer, trusts: bool) -> Gateway:
        gateway = Gateway({
            **UNLIMITED, "DRAWBRIDGE_POLICY": "sovaria", "GOTRUE_MAILER_AUTOCONFIRM": "false", "SMTP_HOST": ADDRESS, "SMTP_PORT": str(server.port),
            "SMTP_USER": "mailer", "SMTP_PASS": "mail-secret", "SMTP_ADMIN_EMAIL": "auth@example.com",
            **({"SSL_CERT_FILE": self.certificate[0]} if trusts else {})})
        self.addCleanup(gateway.remove)
        self.addCleanup(gateway.stop)
        gateway.start()
        return gateway

    def sign_up(self, gateway: Gateway):
        status, answer = gateway.connection().call("POST", "/signup", {"email": "tls@example.com", "password": "a-good-password"})
        self.assertEqual(status, 200, answer)

    def check_delivery(self, gateway: Gateway, server: MailServer):
        """The mail comes once, encrypted, from who has signed in, and its code confirms the account."""
        self.sign_up(gateway)
        server.wait(lambda: server.mails)
        is_encrypted, user, password, text = server.mails[0]
        self.assertTrue(is_encrypted)
        self.assertEqual((user, password), ("mailer", "mail-secret"))
        plain = email.message_from_string(text, policy=email.policy.default).get_body(("plain",)).get_content()
        code = re.search(r"\b\d{6}\b", plain)
        self.assertIsNotNone(code, text)
        status, session = gateway.connection().call("POST", "/verify", {"type": "signup", "email": "tls@example.com", "token": code[0]})
        self.assertEqual(status, 200, session)
        self.assertEqual(session["user"]["email"], "tls@example.com")
        self.assertEqual(len(server.mails), 1)

    def test_by_starttls(self):
        server = self.server(port=0)
        self.check_delivery(self.gateway(server, trusts=True), server)
        self.assertEqual(server.clear_commands, ["EHLO", "STARTTLS"])

    def test_by_tls_from_the_start(self):
        try:
            server = self.server(port=465, implicit=True)
        except OSError as why:
            self.skipTest(f"port 465 cannot be had: {why}")
        self.check_delivery(self.gateway(server, trusts=True), server)

    def test_a_certificate_that_is_not_trusted_gets_nothing(self):
        server = self.server(port=0)
        gateway = self.gateway(server, trusts=False)
        self.sign_up(gateway)
        server.wait(lambda: server.failed_handshakes)
        self.assertEqual(server.mails, [])
        self.assertEqual(set(server.clear_commands), {"EHLO", "STARTTLS"})
        self.assertNotIn("mail-secret", gateway.output())


if __name__ == "__main__":
    unittest.main()
