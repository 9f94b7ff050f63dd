"""A person with a browser beside ``login --no-browser``: opens the page and comes back."""

from __future__ import annotations

import re
import subprocess
from http.client import HTTPConnection
from urllib.parse import urlsplit

from tests.gmail_product.site import BOUND_S, Site, environment

_ADDRESS = re.compile(r"https?://\S+")


def log_in(site: Site, mailbox: str, *, paste: bool = False) -> tuple[int, str]:
    """Log in as the person that the page offers; status and what the command said.

    *paste*: the browser is on another machine, so the address that it ends at is given by hand.
    """
    line = [*site.line("login", mailbox), "--no-browser"]
    command = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment(),
    )  # fmt: skip
    said = ""
    with command:
        assert command.stdout is not None
        found = None
        while found is None:
            part = command.stdout.readline()
            if not part:
                break
            said += part
            found = next((one for one in _ADDRESS.findall(part) if "client_id=" in one), None)
        if found is None:
            return command.wait(BOUND_S), said
        back = consent(found)
        if paste:
            rest, _ = command.communicate(back + "\n", timeout=BOUND_S)
        else:
            assert open_page(back)[0] == 200
            rest, _ = command.communicate(timeout=BOUND_S)
    return command.returncode, said + rest


def consent(address: str) -> str:
    """Where the consent page sends the browser."""
    status, where, _ = open_page(address)
    assert status == 302, (status, where)
    return where


def open_page(address: str) -> tuple[int, str, str]:
    """Status, Location and text of a page."""
    parts = urlsplit(address)
    link = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    try:
        link.request("GET", f"{parts.path or '/'}?{parts.query}")
        answer = link.getresponse()
        return answer.status, answer.getheader("Location", ""), answer.read().decode()
    finally:
        link.close()
