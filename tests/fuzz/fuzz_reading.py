"""Coverage-guided fuzzing of the reader, for a long run by hand.

    python -m tests.fuzz.fuzz_reading CORPUS_FOLDER [-max_total_time=3600] [other libFuzzer options]

New inputs are kept in CORPUS_FOLDER; the cases of ``tests/cases`` are put there at the start. A
crash or an input that takes longer than five seconds is written to the working folder, and belongs
into ``tests/cases`` afterwards. Needs ``atheris`` (Linux).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["providers.mime"]):
    from providers.mime import reading  # noqa: F401  instrumented before anybody else imports it
    from tests.fuzz.mutations import DICTIONARY, check

CASES = Path(__file__).parent.parent / "cases"
LONGEST = 20_000


def _prepare(corpus: Path) -> Path:
    """Put the cases into *corpus* and write the dictionary as libFuzzer reads it."""
    corpus.mkdir(parents=True, exist_ok=True)
    for path in CASES.glob("*/*.eml"):
        if path.stat().st_size <= LONGEST:
            (corpus / f"{path.parent.name}-{path.name}").write_bytes(path.read_bytes())
    words = Path(tempfile.mkdtemp()) / "words"
    lines = ("".join(f"\\x{byte:02x}" for byte in word) for word in DICTIONARY)
    words.write_text("".join(f'"{line}"\n' for line in lines), encoding="ascii")
    return words


def main(arguments: list[str]) -> None:
    """Fuzz until the options say to stop."""
    corpus = Path(arguments[1])
    options = [f"-dict={_prepare(corpus)}", f"-max_len={LONGEST}", "-timeout=5", *arguments[2:]]
    atheris.Setup([arguments[0], *options, str(corpus)], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
