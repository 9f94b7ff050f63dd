"""Sentences as they stand in short mails, by language, and texts in no language in particular."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

_GIVEN: Final = json.loads((Path(__file__).parent / "sentences.json").read_text("utf-8"))

SENTENCES: Final[dict[str, list[str]]] = _GIVEN["sentences"]
"""What people write, by ISO 639-1 code; none has over a dozen words."""

UNSURE: Final[list[str]] = _GIVEN["unsure"]
"""Names, numbers, links and noise."""
