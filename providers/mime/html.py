"""HTML to the text that a person sees, without what is hidden from them.

Mail hides text in order to fool filters, to fill previews and to give orders to machines: styles
(display, visibility, size, colour on its own colour, positions off the page), attributes, classes
of the mail's own style sheet. All of it is left out. One walk over the tree, without recursion, so
that depth costs nothing; links and images leave no addresses behind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from providers.mime.invisible import visible

HTML_CHARS: Final = 2 * 1024 * 1024
"""The longest HTML that is read; the longest newsletters stay below 1 MiB."""
TEXT_CHARS: Final = 1024 * 1024
"""The longest text that is kept of one mail."""
STYLE_CHARS: Final = 4096
"""How much of one style attribute is looked at."""
SHEET_CHARS: Final = 256 * 1024
"""How much of a mail's own style sheets is looked at."""

_SKIPPED: Final = frozenset(
    ("head", "script", "style", "title", "template", "noscript", "object", "svg", "math", "iframe")
    + ("select", "option", "datalist", "textarea", "input", "button", "audio", "video", "canvas")
    + ("map", "meta", "link", "noframes", "-comment", "_comment", "!--")
)
_BLOCKS: Final = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "dd",
        "details",
        "dir",
        "div",
        "dl",
        "dt",
    )
    + ("fieldset", "figure", "footer", "form", "header", "hr", "li", "main", "menu", "nav", "ol")
    + (
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
        "caption",
        "body",
    )
)
_PARAGRAPHS: Final = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS: Final = frozenset(("td", "th"))
_PRE: Final = frozenset(("pre", "xmp", "listing", "plaintext"))

_SPACES: Final = re.compile(r"[ \t\n\r\f]+")
_LENGTH: Final = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|ex|)")
_HEX: Final = re.compile(r"#([0-9a-f]{3,8})\b")
_RGB: Final = re.compile(r"rgba?\(\s*(\d+)\s*[, ]\s*(\d+)\s*[, ]\s*(\d+)\s*(?:[,/]\s*([\d.]+))?")
_COLOURS: Final = {
    "white": 0xFFFFFF, "black": 0, "snow": 0xFFFAFA, "ivory": 0xFFFFF0, "whitesmoke": 0xF5F5F5,
    "ghostwhite": 0xF8F8FF, "red": 0xFF0000, "gray": 0x808080, "grey": 0x808080,
}  # fmt: skip
_CSS_COMMENT: Final = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_RULE: Final = re.compile(r"([^{}]*)\{([^{}]*)\}")
_AT_BLOCK: Final = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]*;")
_SIMPLE: Final = re.compile(r"(?:[a-z0-9]*)([.#][a-z_-][\w-]*)\Z")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_TRAILING: Final = re.compile(r"[ \t\xa0]+(?=\n|\Z)")


@dataclass(frozen=True, slots=True)
class _Style:
    """What one style says about being seen; None where it says nothing."""

    gone: bool = False
    hidden: bool | None = None
    size: float | None = None
    relative: bool = False
    colour: int | None = None
    background: int | None = None
    pre: bool | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    """How text looks at one place: what is inherited from everything around it."""

    size: float = 16.0
    hidden: bool = False
    colour: int = 0
    background: int = 0xFFFFFF
    pre: bool = False

    def shown(self) -> bool:
        """Whether a person sees text here."""
        if self.hidden or self.size <= 2.0:
            return False
        return self.background < 0 or not _alike(self.colour, self.background)


_PLAIN: Final = _Style()
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
    """A CSS colour as 0xRRGGBB; _TRANSPARENT where nothing is painted; None when it is not known."""
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
    return found is not None and abs(found[0]) <= 1.0 and found[1] != "em" or text == "0"


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
def _read_style(style: str) -> _Style:
    rules: dict[str, str] = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            rules[name.strip()] = value.replace("!important", "").strip()
    if _gone(rules):
        return _Style(gone=True)
    visibility = rules.get("visibility")
    size, relative = _font_size(rules)
    space = rules.get("white-space")
    return _Style(
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


def _style_of(attributes: dict[str, str | None]) -> _Style:
    style = attributes.get("style")
    read = _read_style(style[:STYLE_CHARS].lower()) if style else _PLAIN
    painted = attributes.get("bgcolor")
    colour = attributes.get("color")
    if attributes.get("background"):
        return _with(read, background=_UNKNOWN_BACKGROUND)
    if painted and read.background is None:
        found = _colour(painted.lower())
        read = _with(read, background=_UNKNOWN_BACKGROUND if found is None else found)
    if colour and read.colour is None:
        read = _with(read, colour=_colour(colour.lower()))
    return read


def _with(style: _Style, *, colour: int | None = None, background: int | None = None) -> _Style:
    return _Style(
        style.gone, style.hidden, style.size, style.relative,
        style.colour if colour is None else colour,
        style.background if background is None else background,
        style.pre,
    )  # fmt: skip


def _inherit(look: _Look, style: _Style) -> _Look:
    if style is _PLAIN:
        return look
    size = look.size
    if style.size is not None:
        size = size * style.size if style.relative else style.size
    return _Look(
        size=size,
        hidden=look.hidden if style.hidden is None else style.hidden,
        colour=look.colour if style.colour is None else style.colour,
        background=look.background if style.background is None else style.background,
        pre=look.pre if style.pre is None else style.pre,
    )


def _hidden_names(parser: LexborHTMLParser) -> frozenset[str]:
    """Classes and ids (``.x``, ``#x``) that the mail's own style sheets hide on every screen."""
    sheet = "".join(node.text() or "" for node in parser.css("style"))[:SHEET_CHARS].lower()
    if not sheet:
        return frozenset()
    names: set[str] = set()
    sheet = _AT_BLOCK.sub("", _CSS_COMMENT.sub("", sheet))
    for selectors, body in _RULE.findall(sheet):
        style = _read_style(body[:STYLE_CHARS])
        if not style.gone and style.hidden is not True:
            continue
        for selector in selectors.split(","):
            simple = _SIMPLE.match(selector.strip())
            if simple is not None:
                names.add(simple[1])
    return frozenset(names)


class _Writer:
    """Collects text as a browser lays it out: white space folds, blocks begin lines."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._size = 0
        self._newlines = 2
        self._space = False

    @property
    def full(self) -> bool:
        return self._size > TEXT_CHARS

    def text(self, text: str, pre: bool) -> None:
        if pre:
            for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
                if number:
                    self.line()
                if line:
                    self._put(line)
            return
        folded = _SPACES.sub(" ", text)
        if folded.startswith(" "):
            self._space = True
            folded = folded[1:]
        if not folded:
            return
        trailing = folded.endswith(" ")
        self._put(folded[:-1] if trailing else folded)
        self._space = trailing

    def _put(self, text: str) -> None:
        if self._space and not self._newlines:
            self._out.append(" ")
        self._space = False
        self._out.append(text)
        self._size += len(text)
        self._newlines = 0

    def line(self) -> None:
        """End the line; called twice it leaves a blank one."""
        self._space = False
        if self._newlines < 2:
            self._out.append("\n")
            self._newlines += 1

    def block(self) -> None:
        """Begin a line, unless one has just begun."""
        self._space = False
        if not self._newlines:
            self.line()

    def paragraph(self) -> None:
        self.block()
        if self._newlines == 1:
            self.line()

    def cell(self) -> None:
        if not self._newlines:
            self._out.append("  ")
            self._space = False

    def done(self) -> str:
        text = _TRAILING.sub("", "".join(self._out))
        return _BLANK_LINES.sub("\n\n", text).strip("\n")


def _opens(writer: _Writer, node: LexborNode, tag: str) -> None:
    if tag == "br":
        writer.line()
    elif tag in _PARAGRAPHS:
        writer.paragraph()
    elif tag == "li":
        writer.block()
        writer.text("* ", pre=True)
    elif tag in _BLOCKS:
        writer.block()
    elif tag == "hr":
        writer.block()


def _closes(writer: _Writer, tag: str) -> None:
    if tag in _PARAGRAPHS:
        writer.paragraph()
    elif tag in _BLOCKS:
        writer.block()
    elif tag in _CELLS:
        writer.cell()


class _Walk:
    """One walk over a tree: a stack of what each open element looks like."""

    def __init__(self, parser: LexborHTMLParser) -> None:
        self._hidden = _hidden_names(parser)
        self._writer = _Writer()

    def _named_hidden(self, attributes: dict[str, str | None]) -> bool:
        classes = (attributes.get("class") or "").lower().split()
        if any("." + name in self._hidden for name in classes):
            return True
        return "#" + (attributes.get("id") or "").lower() in self._hidden

    def _look(self, node: LexborNode, tag: str, look: _Look) -> _Look | None:
        """How *node* looks, or None when neither it nor anything inside is to be read."""
        if tag in _SKIPPED:
            return None
        attributes = node.attributes
        if attributes:
            if "hidden" in attributes or (self._hidden and self._named_hidden(attributes)):
                return None
            style = _style_of(attributes)
            if style.gone:
                return None
            look = _inherit(look, style)
        if tag in _PRE and not look.pre:
            look = _inherit(look, _Style(pre=True))
        return look

    def run(self, root: LexborNode) -> str:
        stack: list[tuple[str, _Look]] = [("", _Look())]
        node: LexborNode | None = root
        while node is not None and not self._writer.full:
            child: LexborNode | None = None
            tag = node.tag or ""
            if tag == "-text":
                look = stack[-1][1]
                if look.shown():
                    self._writer.text(node.text_content or "", look.pre)
            else:
                inner = self._look(node, tag, stack[-1][1])
                if inner is not None:
                    _opens(self._writer, node, tag)
                    child = node.child
                    if child is not None:
                        stack.append((tag, inner))
                    else:
                        _closes(self._writer, tag)
            node = child if child is not None else self._onward(node, root, stack)
        return self._writer.done()

    def _onward(
        self, node: LexborNode, root: LexborNode, stack: list[tuple[str, _Look]]
    ) -> LexborNode | None:
        """The node after *node* and all below it, closing what ends before that."""
        while node.mem_id != root.mem_id:
            following = node.next
            if following is not None:
                return following
            parent = node.parent
            if parent is None:
                return None
            tag, _ = stack.pop()
            _closes(self._writer, tag)
            node = parent
        return None


def html_to_text(html: str) -> str:
    """The text that a person would see of *html*; never raises, whatever is in it."""
    parser = LexborHTMLParser(html[:HTML_CHARS].replace("\0", ""))
    root = parser.body or parser.root
    return "" if root is None else visible(_Walk(parser).run(root))
