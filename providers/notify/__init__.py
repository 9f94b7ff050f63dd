"""Ways to reach the owner: a webhook, ntfy."""

from providers.notify.ntfy import Ntfy
from providers.notify.webhook import Webhook

__all__ = ["Ntfy", "Webhook"]
