"""A mailbox in memory, and a public plan of faults that wraps any mailbox."""

from providers.memory.faulty import Behaviour, FaultPlan, FaultyMailbox
from providers.memory.journal import Effect, Journal
from providers.memory.mailbox import MemoryMailbox

__all__ = ["Behaviour", "Effect", "FaultPlan", "FaultyMailbox", "Journal", "MemoryMailbox"]
