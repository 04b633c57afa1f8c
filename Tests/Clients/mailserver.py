"""A little SMTP server with TLS, and a certificate for it that nobody trusts unless told to. For tests."""
from __future__ import annotations

import base64
import datetime
import ipaddress
import socket
import ssl
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def make_certificate(folder: str, address: str) -> tuple[str, str]:
    """(certificate file, key file) of a self-signed certificate for an IP address."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail.test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
                   .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
                   .not_valid_after(now + datetime.timedelta(days=1))
                   .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
                   .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
                   .sign(key, hashes.SHA256()))
    paths = f"{folder}/mail.crt", f"{folder}/mail.key"
    with open(paths[0], "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    with open(paths[1], "wb") as file:
        file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return paths


class MailServer:
    """Takes mail on one address until it is closed. `mails` holds (was encrypted, user, password, text) of each."""

    def __init__(self, address: str, port: int, certificate: tuple[str, str], implicit: bool = False):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*certificate)
        self.implicit = implicit
        self.mails: list[tuple[bool, str, str, str]] = []
        self.failed_handshakes = 0
        self.clear_commands: list[str] = []
        self.listener = socket.create_server((address, port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def encrypted(self, sock: socket.socket) -> ssl.SSLSocket | None:
        try:
            return self.context.wrap_socket(sock, server_side=True)
        except OSError:
            self.failed_handshakes += 1
            return None

    def serve(self, sock: socket.socket):
        sock.settimeout(20)
        try:
            if not self.implicit or (sock := self.encrypted(sock)):
                self.talk(sock)
        except (OSError, ValueError):
            # A client that went away in the middle; with TLS 1.3 it says only after the handshake that it does not trust us.
            self.failed_handshakes += isinstance(sock, ssl.SSLSocket)
        finally:
            if sock:
                sock.close()

    def talk(self, sock: socket.socket):
        file, user, password = sock.makefile("rb"), "", ""
        sock.sendall(b"220 mail.test ESMTP\r\n")
        while line := file.readline():
            word = line.split()[0].upper() if line.split() else b""
            is_encrypted = isinstance(sock, ssl.SSLSocket)
            if not is_encrypted:
                self.clear_commands.append(word.decode())
            if word == b"EHLO":
                offer = b"250-AUTH PLAIN\r\n" if is_encrypted else b"250-STARTTLS\r\n"
                sock.sendall(b"250-mail.test\r\n" + offer + b"250 8BITMIME\r\n")
            elif word == b"STARTTLS":
                sock.sendall(b"220 go on\r\n")
                if not (sock := self.encrypted(sock)):
                    return
                file = sock.makefile("rb")
            elif word == b"AUTH":
                _, user, password = base64.b64decode(line.split()[2]).decode().split("\0")
                sock.sendall(b"235 welcome\r\n")
            elif word == b"DATA":
                sock.sendall(b"354 go on\r\n")
                lines = []
                while (line := file.readline()) not in (b".\r\n", b""):
                    lines.append(line)
                self.mails.append((is_encrypted, user, password, b"".join(lines).decode()))
                sock.sendall(b"250 taken\r\n")
            elif word == b"QUIT":
                sock.sendall(b"221 bye\r\n")
                return
            else:
                sock.sendall(b"250 ok\r\n")

    def wait(self, what, patience: float = 20):
        """Waits until `what()` is true."""
        end = time.monotonic() + patience
        while not what():
            if time.monotonic() > end:
                raise AssertionError(f"not after {patience} s; mails: {len(self.mails)}, handshakes that failed: {self.failed_handshakes}")
            time.sleep(0.02)
