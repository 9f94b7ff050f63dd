"""HTML to the text that a person sees, without what is hidden from them.

``looks`` says what can be seen; here one walk over the tree writes it down, without recursion, so
that depth costs nothing. Links and images leave no addresses behind. Nothing raises.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from providers.mime.invisible import visible
from providers.mime.looks import PLAIN, Look, Style, hidden_names, inherit, style_of

HTML_CHARS: Final = 1024 * 1024
"""The longest HTML that is read; newsletters stay far below it."""
DEPTH_MAX: Final = 4000
"""How deep elements may nest; a parser of HTML looks through all that is open at each new one."""
FORMATS_MAX: Final = 250
"""How many elements like <font> may be open at once."""
REOPENED_MAX: Final = 100_000
"""How often they may be opened anew: each paragraph does it for all that were left open."""
TEXT_CHARS: Final = 1024 * 1024
"""The longest text that is kept of one mail."""

FEW_TAGS: Final = 600
"""So few tags that they can't reach any of these limits by much, however they are nested."""

_SKIPPED: Final = frozenset({
    "head", "script", "style", "title", "template", "noscript", "object", "svg", "math", "iframe",
    "select", "option", "datalist", "textarea", "input", "button", "audio", "video", "canvas",
    "map", "meta", "link", "noframes",
})  # fmt: skip
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dir", "div", "dl", "dt", "fieldset", "figure", "footer", "form", "header", "hr", "li",
    "main", "menu", "nav", "ol", "pre", "section", "summary", "table", "tbody", "tfoot", "thead",
    "tr", "ul",
})  # fmt: skip
_PARAGRAPHS: Final = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS: Final = frozenset(("td", "th"))
_PRE: Final = frozenset(("pre", "xmp", "listing", "plaintext"))

_PRE_STYLE: Final = Style(pre=True)

_SPACES: Final = re.compile(r"[ \t\n\r\f]+")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_FORMATS: Final = frozenset({
    "b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u",
})  # fmt: skip
_UNNESTED: Final = frozenset({
    # Elements without an end, and those that the next one of their kind ends.
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr", "a", "nobr", "p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead",
    "tfoot",
})  # fmt: skip


class _Writer:
    """Collects text as a browser lays it out: white space folds, blocks begin lines."""

    def __init__(self) -> None:
        self.full = False
        self._out: list[str] = []
        self._size = 0
        self._newlines = 2
        self._space = False

    def text(self, text: str, pre: bool) -> None:
        if pre:
            for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
                if number:
                    self.line()
                if line:
                    self._put(line)
            return
        if text.isspace() and "\xa0" not in text:
            self._space = True
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
        self.full = self._size > TEXT_CHARS
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
        lines = "".join(self._out).split("\n")
        text = "\n".join(line.rstrip(" \t\xa0") for line in lines)
        return _BLANK_LINES.sub("\n\n", text).strip("\n")


class _Layout(Enum):
    """What the beginning and the end of an element do to the line."""

    LINE = auto()
    BLOCK = auto()
    PARAGRAPH = auto()
    ITEM = auto()
    CELL = auto()


_LAYOUT: Final = (
    dict.fromkeys(_BLOCKS, _Layout.BLOCK)
    | dict.fromkeys(_PARAGRAPHS, _Layout.PARAGRAPH)
    | dict.fromkeys(_CELLS, _Layout.CELL)
    | {"br": _Layout.LINE, "li": _Layout.ITEM}
)


def _opens(writer: _Writer, layout: _Layout) -> None:
    if layout is _Layout.LINE:
        writer.line()
    elif layout is _Layout.PARAGRAPH:
        writer.paragraph()
    elif layout is not _Layout.CELL:
        writer.block()
        if layout is _Layout.ITEM:
            writer.text("* ", pre=True)


def _closes(writer: _Writer, layout: _Layout) -> None:
    if layout is _Layout.PARAGRAPH:
        writer.paragraph()
    elif layout is _Layout.CELL:
        writer.cell()
    elif layout is not _Layout.LINE:
        writer.block()


class _Walk:
    """One walk over a tree: a stack of what each open element looks like."""

    def __init__(self, parser: LexborHTMLParser) -> None:
        self._hidden = hidden_names("".join(node.text() for node in parser.css("style")))
        self._writer = _Writer()

    def _named_hidden(self, attributes: dict[str, str | None]) -> bool:
        classes = (attributes.get("class") or "").lower().split()
        if any("." + name in self._hidden for name in classes):
            return True
        return "#" + (attributes.get("id") or "").lower() in self._hidden

    def _look(self, attributes: dict[str, str | None], look: Look) -> Look | None:
        """How an element looks, or None when neither it nor anything inside is to be read."""
        if "hidden" in attributes or (self._hidden and self._named_hidden(attributes)):
            return None
        style = style_of(attributes)
        if style is PLAIN:
            return look
        return None if style.gone else inherit(look, style)

    def run(self, root: LexborNode) -> str:
        writer = self._writer
        look = self._look(root.attributes, Look()) or Look()
        stack: list[tuple[LexborNode, _Layout | None, Look]] = []
        node = root.child
        while not writer.full:
            if node is None:
                if not stack:
                    break
                parent, layout, look = stack.pop()
                if layout is not None:
                    _closes(writer, layout)
                node = parent.next
                continue
            tag = node.tag or ""
            if tag == "-text":
                if look.shown:
                    writer.text(node.text_content or "", look.pre)
                node = node.next
                continue
            attributes = node.attributes
            inner = self._look(attributes, look) if attributes else look
            if inner is None or tag in _SKIPPED:
                node = node.next
                continue
            if tag in _PRE:
                inner = inherit(inner, _PRE_STYLE)
            layout = _LAYOUT.get(tag)
            if layout is not None:
                _opens(writer, layout)
            # An element without children is entered too: leaving it closes it.
            stack.append((node, layout, look))
            look, node = inner, node.child
        return writer.done()


def bounded(html: str) -> str:
    """The beginning of *html* that can be parsed in linear time: all of it for any real mail."""
    html = html[:HTML_CHARS].replace("\0", "")
    if html.count("<") < FEW_TAGS:
        return html
    depth = formats = reopened = 0
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        step = -1 if tag[1] else 1
        if name in _FORMATS:
            formats = max(0, formats + step)
        else:
            reopened += formats
            if name not in _UNNESTED:
                depth = max(0, depth + step)
        if depth > DEPTH_MAX or formats > FORMATS_MAX or reopened > REOPENED_MAX:
            return html[: tag.start()]
    return html


def tree_to_text(parser: LexborHTMLParser) -> str:
    """The text that a person would see of HTML that is parsed, from what ``bounded`` left of it."""
    root = parser.body or parser.root
    return "" if root is None else visible(_Walk(parser).run(root))


def html_to_text(html: str) -> str:
    """The text that a person would see of *html*; never raises, whatever is in it."""
    return tree_to_text(LexborHTMLParser(bounded(html)))
