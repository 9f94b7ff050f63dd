"""HTML as a person sees it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.html import html_to_text

LAYOUT = [
    ("<p>one</p><p>two</p>", "one\n\ntwo"),
    ("<div>one</div><div>two</div>", "one\ntwo"),
    ("<div>one</div><div><br></div><div>two</div>", "one\n\ntwo"),
    ("one<br>two<br/>three", "one\ntwo\nthree"),
    ("one\n  two\tthree", "one two three"),
    ("one <b> two</b> three", "one two three"),
    ("<b>o</b>ne", "one"),
    ("<ul><li>one</li><li>two</li></ul>", "* one\n* two"),
    ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a  b\nc"),
    ("<pre>a  b\n  c</pre>", "a  b\n  c"),
    ("<div style='white-space: pre-wrap'>a\n b</div>", "a\n b"),
    ("a&nbsp;b &amp; c &lt;d&gt; &euro;", "a\u00a0b & c <d> €"),
    ("<a href='https://example.org/x'>link</a>", "link"),
    ("<img src='https://example.org/p.gif' alt='logo'>text", "text"),
    ("<title>no</title><p>yes</p><script>no()</script><style>p{}</style>", "yes"),
    ("text <!-- comment --> on", "text on"),
    ("<h1>Head</h1>text", "Head\n\ntext"),
    ("<p>unclosed <b>tags", "unclosed tags"),
    ("<p>a</p></div></div><p>b</p>", "a\n\nb"),
    ("plain < 5 and > 3", "plain < 5 and > 3"),
    ("", ""),
    ("<", "<"),
    ("<blockquote>quoted</blockquote>after", "quoted\nafter"),
    ("<o:p>Office</o:p><v:shape>x</v:shape>", "Officex"),
    (
        "<html xmlns='x'><body lang=DE><p class=MsoNormal>Hallo<o:p></o:p></p></body></html>",
        "Hallo",
    ),
]


@pytest.mark.parametrize(("html", "text"), LAYOUT)
def test_html_is_laid_out_as_a_browser_does(html: str, text: str) -> None:
    assert html_to_text(html) == text


HIDDEN = [
    "<p hidden>X</p>",
    '<div style="display:none">X</div>',
    '<div style="DISPLAY : NONE !important">X</div>',
    '<div style="display:none"><p style="display:block">X</p></div>',
    '<span style="visibility:hidden">X</span>',
    '<span style="opacity:0">X</span>',
    '<span style="opacity:0.01">X</span>',
    '<span style="font-size:0">X</span>',
    '<span style="font-size:0px">X</span>',
    '<span style="font-size:1px">X</span>',
    '<span style="font-size:0.01em">X</span>',
    '<span style="color:#fff">X</span>',
    '<span style="color:white">X</span>',
    '<span style="color:#FEFEFE">X</span>',
    '<span style="color: rgb(255, 255, 255)">X</span>',
    '<span style="color:rgba(0,0,0,0)">X</span>',
    '<span style="color:transparent">X</span>',
    '<font color="#ffffff">X</font>',
    '<div style="background:#000;color:black">X</div>',
    '<table bgcolor="#336699"><tr><td><font color="#336699">X</font></td></tr></table>',
    '<div style="position:absolute;left:-9999px">X</div>',
    '<div style="position:absolute; top: -1000em">X</div>',
    '<div style="text-indent:-9999px">X</div>',
    '<div style="max-height:0;overflow:hidden">X</div>',
    '<div style="height:0px;overflow:hidden">X</div>',
    '<div style="width:0;overflow:hidden">X</div>',
    '<div style="mso-hide:all">X</div>',
    '<div style="transform:scale(0)">X</div>',
    '<div style="position:absolute;clip:rect(0,0,0,0)">X</div>',
    "<!--[if mso]>X<![endif]-->",
    '<style>.p{display:none}</style><div class="a p">X</div>',
    "<style>div.p, #q { display : none !important }</style><i id=q>X</i>",
    "<style>/* .x{} */ .p{font-weight:bold} .p{visibility:hidden}</style><i class=P>X</i>",
    "<noscript>X</noscript><template>X</template><textarea>X</textarea><select><option>X</select>",
    "<svg><text>X</text></svg><iframe>X</iframe><object>X</object>",
]


@pytest.mark.parametrize("html", HIDDEN)
def test_what_a_person_cannot_see_is_not_read(html: str) -> None:
    assert html_to_text(f"<p>seen</p>{html}<p>seen too</p>") == "seen\n\nseen too"


SEEN = [
    '<td style="font-size:0px"><div style="font-size:13px">S</div></td>',
    '<table bgcolor="#000000"><tr><td><font color="white">S</font></td></tr></table>',
    '<div style="background:#123456"><span style="color:#fff">S</span></div>',
    '<div style="background:url(https://example.org/x.png);color:#fff">S</div>',
    '<div style="background-image:linear-gradient(red,blue);color:#fff">S</div>',
    '<td background="x.png"><font color="#ffffff">S</font></td>',
    '<div style="visibility:hidden"><span style="visibility:visible">S</span></div>',
    '<div style="opacity:0.9">S</div>',
    '<div style="max-height:0">S</div>',
    '<div style="overflow:hidden;max-height:400px">S</div>',
    '<div style="position:relative;left:-5px">S</div>',
    '<div style="color:#333;background:#fff">S</div>',
    "<style>@media (max-width:600px){.d{display:none}}</style><p class=d>S</p>",
    "<style>.other{display:none}</style><p class=d>S</p>",
    "<style>.d p{display:none}</style><div class=d>S</div>",
    '<span style="font-size:small">S</span>',
    '<span style="font-size:90%">S</span>',
    '<span style="color:currentColor">S</span>',
    '<p aria-hidden="true">S</p>',
    '<p style=";;:;broken">S</p>',
]


@pytest.mark.parametrize("html", SEEN)
def test_what_a_person_can_see_is_read(html: str) -> None:
    assert "S" in html_to_text(f"<table><tr>{html}</tr></table>" if "<td" in html else html)


def test_a_padded_preheader_leaves_nothing() -> None:
    padding = "&zwnj;&nbsp;&#847;" * 400
    assert html_to_text(f"<div style='display:none'>Preview{padding}</div><p>Sale</p>") == "Sale"


def test_zero_width_padding_that_is_shown_leaves_no_characters() -> None:
    assert len(html_to_text("<p>Sale</p>" + "<span>&#8203;&zwnj;&#847;</span>" * 400)) < 20


def test_deep_html_is_read_to_its_end() -> None:
    assert html_to_text("<div>" * 3000 + "Can you read me?" + "</div>" * 3000) == "Can you read me?"


def test_of_html_too_deep_to_parse_the_beginning_is_read() -> None:
    assert html_to_text("<p>Hi</p>" + "<div>" * 100_000 + "no" + "</div>" * 100_000) == "Hi"


def test_open_formats_that_multiply_are_not_followed() -> None:
    fonts = "".join(f"<p><font size={number}>" for number in range(200))
    assert html_to_text("<p>Hi</p>" + fonts + "<p>x" * 50_000).count("x") < 1000


def test_a_long_newsletter_with_closed_elements_is_read_to_its_end() -> None:
    row = "<tr><td><font color=red><b>a</b></font><br><p>b<p>c</td></tr>"
    assert html_to_text(f"<table>{row * 3000}</table><p>end</p>").endswith("end")


@settings(deadline=None)
@given(st.text(alphabet="<>/!-abdivpst \"'=:;&#\n", max_size=200))
def test_any_markup_is_read_without_an_error(html: str) -> None:
    assert html_to_text(html).encode() is not None
