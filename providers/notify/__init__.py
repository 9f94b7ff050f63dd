"""Ways to reach the owner: a webhook, ntfy, mail, and whatever else apprise knows."""

from providers.notify.ntfy import Ntfy
from providers.notify.webhook import Webhook

__all__ = ["Ntfy", "Webhook"]
