"""Reads the gateway's built-in inbox. The one place that knows how its JSON looks."""
from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request


class Mail:
    """One message: to, subject, html, text, and the code and link found in it (None where there is none)."""

    def __init__(self, row: dict):
        self.id, self.to, self.subject = row["id"], row["to"], row["subject"]
        self.html, self.text = row.get("html") or "", row.get("text") or ""
        self.code, self.link = row.get("code"), row.get("link")


def messages(url: str, to: str) -> list[Mail]:
    """The messages to an address, newest first."""
    with urllib.request.urlopen(f"{url}/inbox/messages?" + urllib.parse.urlencode({"to": to}), timeout=10) as answer:
        rows = json.load(answer)
    return [Mail(row) for row in (rows["messages"] if isinstance(rows, dict) else rows)]


def wait(url: str, to: str, after: int = 0, with_code: bool = True, patience: float = 10) -> Mail:
    """The newest message to an address that has a code, once there are more than `after` messages with one."""
    end = time.monotonic() + patience
    while True:
        found = [m for m in messages(url, to) if m.code or not with_code]
        if len(found) > after:
            return found[0]
        if time.monotonic() > end:
            raise AssertionError(f"no mail to {to} in the inbox after {patience} s ({len(found)} there)")
        time.sleep(0.05)


def count(url: str, to: str) -> int:
    """How many messages with a code there are to an address."""
    return len([m for m in messages(url, to) if m.code])
