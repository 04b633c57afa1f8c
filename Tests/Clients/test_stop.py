"""How the gateway ends: readiness first, then the door, then the requests under way; and at once when it is told twice."""
import signal
import socket
import time
import unittest

from gateway import UNLIMITED, Gateway

SLOW_BODY = b'{"email":"slow@example.com","password":"a-good-password"}'


class Stop(unittest.TestCase):
    def setUp(self):
        self.gateway = Gateway({**UNLIMITED, "DRAWBRIDGE_STOP_DELAY": "3s"})
        self.gateway.start()

    def tearDown(self):
        self.gateway.kill()
        self.gateway.remove()

    def ready(self) -> int:
        connection = self.gateway.connection()
        try:
            return connection.call("GET", "/readyz")[0]
        finally:
            connection.close()

    def half_request(self) -> socket.socket:
        """A sign-up of which the last bytes are still to come, and of which the gateway has the rest."""
        sock = socket.create_connection(("127.0.0.1", self.gateway.port), timeout=20)
        sock.sendall(b"POST /signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(SLOW_BODY))
        self.assertTrue(sock.recv(100).startswith(b"HTTP/1.1 100 "))
        sock.sendall(SLOW_BODY[:-5])
        return sock

    def refused(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.gateway.port), timeout=5).close()
            return False
        except ConnectionRefusedError:
            return True

    def wait_for_refusal(self):
        end = time.monotonic() + 10
        while not self.refused():
            self.assertLess(time.monotonic(), end, "connections are still taken")
            time.sleep(0.02)

    def test_readiness_goes_first_while_connections_are_taken(self):
        self.assertEqual(self.ready(), 200)
        begin = time.monotonic()
        self.gateway.process.send_signal(signal.SIGTERM)
        while (status := self.ready()) == 200:
            self.assertLess(time.monotonic(), begin + 2)
        self.assertEqual(status, 503)
        self.assertTrue(self.gateway.answers(), "a new connection is served during the delay")
        self.assertEqual(self.gateway.process.wait(15), 0)
        self.assertGreater(time.monotonic() - begin, 2.5)

    def test_nobody_asks_for_readiness_so_that_nothing_is_waited_for(self):
        begin = time.monotonic()
        self.assertEqual(self.gateway.stop(), 0)
        self.assertLess(time.monotonic() - begin, 2.5)

    def test_control_c_does_not_wait(self):
        self.assertEqual(self.ready(), 200)
        begin = time.monotonic()
        self.gateway.process.send_signal(signal.SIGINT)
        self.assertEqual(self.gateway.process.wait(15), 0)
        self.assertLess(time.monotonic() - begin, 2.5)

    def test_a_request_under_way_is_finished_after_the_door_is_closed(self):
        sock = self.half_request()
        self.gateway.process.send_signal(signal.SIGTERM)
        self.wait_for_refusal()
        sock.sendall(SLOW_BODY[-5:])
        answer = b""
        while part := sock.recv(65536):
            answer += part
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer[:100])
        self.assertIn(b"\r\nconnection: close\r\n", answer.lower())
        self.assertEqual(self.gateway.process.wait(15), 0)

    def test_a_second_signal_ends_it_at_once(self):
        sock = self.half_request()
        self.gateway.process.send_signal(signal.SIGTERM)
        self.wait_for_refusal()
        self.assertIsNone(self.gateway.process.poll())
        self.gateway.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.gateway.process.wait(2), -signal.SIGTERM)
        sock.close()


if __name__ == "__main__":
    unittest.main()
