"""A Gmail for tests: the API v1 and Google's OAuth over real HTTP, as unkind as the real one."""

from tests.support.gmail.faults import NAMED, Answer, Fault
from tests.support.gmail.server import ROBIN, GmailServer, running
from tests.support.gmail.settings import Settings

__all__ = ["NAMED", "ROBIN", "Answer", "Fault", "GmailServer", "Settings", "running"]
