"""What of a mail's HTML can be seen, by its styles.

Mail hides text in order to fool filters, to fill previews and to give orders to machines: by
display, visibility, opacity, size, colour on its own colour, positions off the page, boxes without
height, attributes, and classes of the mail's own style sheet. Where a rule is not understood, text
counts as seen: losing what a person reads is the worse error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

SMALLEST: Final = 2.0
"""Pixels of the largest text that nobody can read."""
STYLE_CHARS: Final = 4096
"""How much of one style attribute is looked at."""
SHEET_CHARS: Final = 256 * 1024
"""How much of a mail's own style sheets is looked at."""

_LENGTH: Final = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|ex|)")
_HEX: Final = re.compile(r"#([0-9a-f]{3,8})\b")
_RGB: Final = re.compile(r"rgba?\(\s*(\d+)\s*[, ]\s*(\d+)\s*[, ]\s*(\d+)\s*(?:[,/]\s*([\d.]+))?")
_COLOURS: Final = {
    "white": 0xFFFFFF, "black": 0, "snow": 0xFFFAFA, "ivory": 0xFFFFF0, "whitesmoke": 0xF5F5F5,
    "ghostwhite": 0xF8F8FF, "red": 0xFF0000, "gray": 0x808080, "grey": 0x808080,
}  # fmt: skip
_BRACE: Final = re.compile(r"[{};]")
_SIMPLE: Final = re.compile(r"(?:[a-z0-9]*)([.#][a-z_-][\w-]*)\Z")


@dataclass(frozen=True, slots=True)
class Style:
    """What one style says about being seen; None where it says nothing."""

    gone: bool = False
    hidden: bool | None = None
    size: float | None = None
    relative: bool = False
    colour: int | None = None
    background: int | None = None
    pre: bool | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How text looks at one place: what is inherited, and whether a person sees it there."""

    size: float = 16.0
    hidden: bool = False
    colour: int = 0
    background: int = 0xFFFFFF
    pre: bool = False
    shown: bool = True


PLAIN: Final = Style()
_UNKNOWN_BACKGROUND: Final = -1
_TRANSPARENT: Final = -2


def _alike(one: int, other: int) -> bool:
    """Whether two colours cannot be told apart."""
    return one == _TRANSPARENT or (
        one >= 0
        and all(abs((one >> shift & 255) - (other >> shift & 255)) <= 8 for shift in (0, 8, 16))
    )


@lru_cache(maxsize=2048)
def _colour(text: str) -> int | None:
    """A CSS colour as 0xRRGGBB; _TRANSPARENT where nothing is painted; None if it is not known."""
    text = text.strip()
    if text.startswith("#") and (found := _HEX.match(text)):
        digits = found[1]
        if len(digits) in (4, 8) and set(digits[len(digits) * 3 // 4 :]) == {"0"}:
            return _TRANSPARENT
        if len(digits) < 6:
            digits = "".join(letter * 2 for letter in digits[:3])
        return int(digits[:6], 16)
    if found := _RGB.match(text):
        if found[4] is not None and float(found[4].rstrip(".") or "1") < 0.05:
            return _TRANSPARENT
        red, green, blue = (min(255, int(found[part][:3])) for part in (1, 2, 3))
        return red << 16 | green << 8 | blue
    if text == "transparent":
        return _TRANSPARENT
    return _COLOURS.get(text.partition(" ")[0])


def _length(text: str) -> tuple[float, str] | None:
    found = _LENGTH.match(text.strip())
    return None if found is None else (float(found[1]), found[2])


def _nothing(text: str | None) -> bool:
    """Whether a length is (almost) zero."""
    found = _length(text) if text else None
    return found is not None and abs(found[0]) <= 1.0 and (found[1] != "em" or not found[0])


def _far(text: str | None) -> bool:
    """Whether an offset lies off the page."""
    found = _length(text) if text else None
    return found is not None and abs(found[0]) >= (50 if found[1] in ("em", "rem") else 500)


def _off_the_page(rules: dict[str, str]) -> bool:
    placed = rules.get("position", "") in ("absolute", "fixed")
    if placed and any(_far(rules.get(side)) for side in ("left", "right", "top", "bottom")):
        return True
    if placed and rules.get("clip", "").replace(" ", "").startswith("rect(0"):
        return True
    indent = rules.get("text-indent", "")
    return indent.startswith("-") and _far(indent)


def _gone(rules: dict[str, str]) -> bool:
    """Whether an element and all inside it cannot be seen, whatever they say themselves."""
    if rules.get("display") == "none" or rules.get("mso-hide") == "all":
        return True
    opacity = _length(rules.get("opacity", ""))
    if opacity is not None and opacity[0] < (5 if opacity[1] == "%" else 0.05):
        return True
    if rules.get("overflow") == "hidden" and any(
        _nothing(rules.get(side)) for side in ("height", "max-height", "width", "max-width")
    ):
        return True
    return "scale(0" in rules.get("transform", "").replace("scale(0.", "") or _off_the_page(rules)


def _font_size(rules: dict[str, str]) -> tuple[float | None, bool]:
    found = _length(rules.get("font-size", ""))
    if found is None:
        return None, False
    size, unit = found
    if unit in ("em", "rem", "%", "ex"):
        return (size / 100 if unit == "%" else size), unit != "rem"
    return size * (1.33 if unit == "pt" else 1.0), False


@lru_cache(maxsize=4096)
def _read_style(style: str) -> Style:
    rules: dict[str, str] = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            rules[name.strip()] = value.replace("!important", "").strip()
    if _gone(rules):
        return Style(gone=True)
    visibility = rules.get("visibility")
    size, relative = _font_size(rules)
    space = rules.get("white-space")
    return Style(
        hidden=None if visibility is None else visibility in ("hidden", "collapse"),
        size=size * 16 if size is not None and rules.get("font-size", "").endswith("rem") else size,
        relative=relative,
        colour=_colour(rules["color"]) if "color" in rules else None,
        background=_background(rules),
        pre=None if space is None else space.startswith("pre"),
    )


def _background(rules: dict[str, str]) -> int | None:
    """The colour behind text; unknown where a picture may be painted."""
    image = rules.get("background-image", "none")
    both = rules.get("background", "")
    if image not in ("none", "") or "url(" in both or "gradient" in both:
        return _UNKNOWN_BACKGROUND
    given = rules.get("background-color", both)
    found = _colour(given) if given else None
    if found is None and given and given not in ("none", "inherit", "initial", "unset"):
        return _UNKNOWN_BACKGROUND
    return None if found == _TRANSPARENT else found


@lru_cache(maxsize=4096)
def _styled(style: str, painted: str, colour: str, pictured: bool) -> Style:
    read = _read_style(style.lower()) if style else PLAIN
    if pictured:
        read = replace(read, background=_UNKNOWN_BACKGROUND)
    elif painted and read.background is None:
        found = _colour(painted.lower())
        read = replace(read, background=_UNKNOWN_BACKGROUND if found is None else found)
    if colour and read.colour is None:
        read = replace(read, colour=_colour(colour.lower()))
    return PLAIN if read == PLAIN else read


def style_of(attributes: Mapping[str, str | None]) -> Style:
    """What an element's *attributes* say about being seen: ``style`` and the old ones."""
    get = attributes.get
    style, painted, colour = get("style"), get("bgcolor"), get("color")
    pictured = get("background")
    if not style and not painted and not colour and not pictured:
        return PLAIN
    return _styled(
        (style or "")[:STYLE_CHARS], (painted or "")[:40], (colour or "")[:40], bool(pictured)
    )


@lru_cache(maxsize=4096)
def inherit(look: Look, style: Style) -> Look:
    """How an element with *style* looks inside one that looks as *look*."""
    if style is PLAIN:
        return look
    size = look.size
    if style.size is not None:
        size = size * style.size if style.relative else style.size
    hidden = look.hidden if style.hidden is None else style.hidden
    colour = look.colour if style.colour is None else style.colour
    background = look.background if style.background is None else style.background
    return Look(
        size=size,
        hidden=hidden,
        colour=colour,
        background=background,
        pre=look.pre if style.pre is None else style.pre,
        shown=not hidden and size > SMALLEST and (background < 0 or not _alike(colour, background)),
    )


def _without_comments(sheet: str) -> str:
    """A style sheet without its comments; one that never closes takes the rest with it."""
    kept: list[str] = []
    position = 0
    while (start := sheet.find("/*", position)) >= 0:
        kept.append(sheet[position:start])
        end = sheet.find("*/", start + 2)
        if end < 0:
            return "".join(kept)
        position = end + 2
    kept.append(sheet[position:])
    return "".join(kept).replace("<!--", "").replace("-->", "")


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of the rules that hold everywhere: those in no @-block."""
    opened: list[str] = []
    start = 0
    for brace in _BRACE.finditer(sheet):
        if brace[0] == "{":
            opened.append(sheet[start : brace.start()].strip())
        elif brace[0] == "}" and opened:
            selectors = opened.pop()
            if not opened and not selectors.startswith("@"):
                yield selectors, sheet[start : brace.start()]
        elif opened:
            continue  # a semicolon between declarations
        start = brace.end()


def hidden_names(sheets: str) -> frozenset[str]:
    """Classes and ids (``.x``, ``#x``) that a mail's own style *sheets* hide on every screen."""
    names: set[str] = set()
    for selectors, declarations in _rules(_without_comments(sheets[:SHEET_CHARS].lower())):
        style = _read_style(declarations[:STYLE_CHARS])
        if not style.gone and style.hidden is not True:
            continue
        for selector in selectors.split(","):
            simple = _SIMPLE.match(selector.strip())
            if simple is not None:
                names.add(simple[1])
    return frozenset(names)
