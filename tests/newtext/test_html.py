"""HTML says by elements what is quoted; the text says what there is to keep."""

from __future__ import annotations

import pytest

from providers.mime.html import html_to_text
from providers.mime.htmlcut import html_lines
from providers.mime.htmltame import DEEPEST, MOST_ATTRIBUTES, tame
from providers.mime.newtext import NewText, new_text

OWN = "<p>I shall come.</p><p>Mina</p>"
INTRO = "On Mon, Mar 2, 2026 at 9:12 AM Robin Vale &lt;robin@example.com&gt; wrote:"

QUOTATIONS = {
    "gmail": f'<div class="gmail_quote"><div class="gmail_attr">{INTRO}<br></div><blockquote class="gmail_quote">Will you?</blockquote></div>',
    "gmail without attribution": '<div class="gmail_quote"><blockquote class="gmail_quote">Will you?</blockquote></div>',
    "apple": f'<div><blockquote type="cite"><div>{INTRO}</div><br><div>Will you?</div></blockquote></div>',
    "apple with footer": '<div id="AppleMailSignature">Sent from my iPhone</div><div><br></div>'
    f'<div><br>On 2 Mar 2026, at 09:12, Robin Vale wrote:<br><br></div><blockquote type="cite"><div>Will you?</div></blockquote>',
    "thunderbird": '<div class="moz-cite-prefix">On 3/2/26 09:12, Robin Vale wrote:<br></div><blockquote type="cite" cite="mid:x@example.com">Will you?</blockquote>',
    "outlook web": '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Robin<br><b>Sent:</b> Monday<br><b>To:</b> Mina<br><b>Subject:</b> Hall</div><div>Will you?</div>',
    "outlook web in no language we know": '<div id="divRplyFwdMsg"><b>Xwqx:</b> Robin<br><b>Ykzz:</b> Hall</div><div>Will you?</div>',
    "outlook word": '<div style="border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p><b>Från:</b> Robin<br><b>Skickat:</b> den 2 mars<br><b>Till:</b> Mina<br><b>Ämne:</b> Sal</p></div><p>Will you?</p>',
    "outlook mac": '<span id="OLK_SRC_BODY_SECTION"><div><b>From: </b>Robin<br><b>Date: </b>Monday<br><b>To: </b>Mina<br><b>Subject: </b>Hall</div><div>Will you?</div></span>',
    "outlook ios": '<div id="ms-outlook-mobile-signature">Get Outlook for iOS</div><div id="mail-editor-reference-message-container"><div id="divRplyFwdMsg"><b>From:</b> Robin</div><div>Will you?</div></div>',
    "hotmail": '<div><hr id="stopSpelling">Date: Mon, 2 Mar 2026<br>From: robin@example.com<br>To: mina@example.org<br><br>Will you?</div>',
    "yahoo": f'<div id="yahoo_quoted_1" class="yahoo_quoted"><div>{INTRO}</div><div>Will you?</div></div>',
    "proton": f'<div class="protonmail_quote">{INTRO}<br><blockquote class="protonmail_quote" type="cite">Will you?</blockquote></div>',
    "tutanota": f'<br>{INTRO}<br><blockquote class="tutanota_quote">Will you?</blockquote>',
    "gmx": '<div name="quote" style="border-left:2px solid #C3D9E5;"><div><b>Gesendet:</b> Montag<br><b>Von:</b> Robin</div>Will you?</div>',
    "zoho": f'<div class="zmail_extra"><br>---- On Mon, 02 Mar 2026 {INTRO} ----<br><blockquote>Will you?</blockquote></div>',
    "roundcube": '<p id="reply-intro">Am 2026-03-02 09:12, schrieb Robin Vale:</p><blockquote type="cite">Will you?</blockquote>',
    "netease": '<br>At 2026-03-02 09:12:00, "Robin" &lt;robin@example.com&gt; wrote:<br><blockquote id="isReplyContent" style="PADDING-LEFT: 1ex; BORDER-LEFT: #ccc 1px solid">Will you?</blockquote>',
    "spark": '<div name="messageReplySection">On 2 Mar 2026, 09:12 +0100, Robin &lt;robin@example.com&gt;, wrote:<br><blockquote type="cite">Will you?</blockquote></div>',
    "evolution": '<div>On Mon, 2026-03-02 at 09:12 +0000, Robin Vale wrote:</div><blockquote type="cite"><div>Will you?</div></blockquote>',
    "samsung": '<div>-------- Original message --------</div><div>From: Robin &lt;robin@example.com&gt;</div><div>Date: 02/03/2026 09:12 (GMT+01:00)</div><div>To: mina@example.org</div><div>Subject: Hall</div><div><br></div><div>Will you?</div>',
    "plain blockquote": f"<p>{INTRO}</p><blockquote><p>Will you?</p></blockquote>",
    "plain div": f"<div>{INTRO}</div><div>Will you?</div>",
}  # fmt: skip


def _read(html: str, subject: str = "Re: Hall") -> NewText:
    return new_text(html_to_text(html), html=html, subject=subject)


@pytest.mark.parametrize("program", QUOTATIONS)
def test_what_a_program_quotes_goes(program: str) -> None:
    assert _read(OWN + QUOTATIONS[program]).text == "I shall come.\n\nMina"


@pytest.mark.parametrize("program", QUOTATIONS)
def test_what_a_program_quotes_goes_from_inside_one_div(program: str) -> None:
    assert _read(f"<div>{OWN}{QUOTATIONS[program]}</div>").text == "I shall come.\n\nMina"


@pytest.mark.parametrize(
    "program",
    ["gmail", "apple", "thunderbird", "proton", "roundcube", "evolution", "netease", "plain blockquote"],
)
def test_answer_below_a_quoted_element_stays(program: str) -> None:
    assert _read(f"{QUOTATIONS[program]}<p>I shall.</p>").text == "I shall."


@pytest.mark.parametrize(
    "quoted", ['<blockquote class="gmail_quote">{}</blockquote>', '<blockquote type="cite">{}</blockquote>']
)
def test_answers_between_quoted_elements_stay_in_their_places(quoted: str) -> None:
    html = f"<div>{INTRO}</div>{quoted.format('Red?')}<div>Blue.</div>{quoted.format('When?')}<div>Now.</div>"
    assert _read(html).text == "Blue.\n\nNow."


@pytest.mark.parametrize(
    "signature",
    [
        '<div class="gmail_signature">Mina Okafor<br>Head of Sheds</div>',
        '<span class="gmail_signature_prefix">-- </span><br><div class="gmail_signature">Mina Okafor</div>',
        '<div class="moz-signature">-- <br>Mina Okafor</div>',
        '<div id="Signature"><p>Mina Okafor</p><p>Example Org</p></div>',
        '<div class="protonmail_signature_block"><div>Sent with Proton Mail secure email.</div></div>',
        '<div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div>',
        '<div name="messageSignatureSection"><br>Mina Okafor</div>',
        "<p>-- <br>Mina Okafor</p>",
        "<div><br></div><div>Sent from my iPhone</div>",
    ],
)
def test_signature_of_a_program_goes(signature: str) -> None:
    assert _read(f"<p>I shall come.</p>{signature}", subject="Hall").text == "I shall come."


def test_text_typed_into_the_signature_alone_stays() -> None:
    html = '<div class="gmail_signature">I shall come. Shall I bring cake?</div>'
    assert _read(html).text == "I shall come. Shall I bring cake?"


def test_own_blockquote_in_a_mail_that_answers_nothing_stays() -> None:
    html = "<p>Rule four:</p><blockquote>No music after ten.</blockquote><p>Is that so?</p>"
    assert _read(html, subject="Rules").text.split("\n\n")[-1] == "Is that so?"
    assert "No music" in _read(html, subject="Rules").text


@pytest.mark.parametrize(
    "html",
    [
        '<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Power Co &lt;desk@power.example&gt;<br>Subject: Meter</div><div>Read it.</div></div>',
        '<div>Begin forwarded message:</div><blockquote type="cite"><div><b>From: </b>Power Co</div><div>Read it.</div></blockquote>',
        '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Power Co<br><b>Sent:</b> Sunday<br><b>To:</b> Mina<br><b>Subject:</b> Meter</div><div>Read it.</div>',
        '<div class="moz-forward-container">-------- Forwarded Message --------<table><tr><th>Subject: </th><td>Meter</td></tr></table>Read it.</div>',
        '<div class="yahoo_quoted"><div>----- Forwarded message -----</div><div>From: Power Co</div><div>Read it.</div></div>',
        '<div class="protonmail_quote">------- Forwarded Message -------<br>From: Power Co<br><blockquote class="protonmail_quote" type="cite">Read it.</blockquote></div>',
    ],
)
def test_what_is_passed_on_stays_with_the_comment(html: str) -> None:
    found = _read(f"<div>Is that for us?</div>{html}", subject="Fwd: Meter")
    assert found.text.startswith("Is that for us?")
    assert found.text.endswith("Read it.")
    assert found.forward


def test_words_that_the_text_does_not_hold_are_never_taken_from_the_html() -> None:
    html = "<p>Send the code.</p><blockquote type=cite>Is it free?</blockquote>"
    text = "It is free.\n\n> Is it free?\n"
    assert new_text(text, html=html, subject="Re: Hall").text == "It is free."


def test_hidden_text_is_not_brought_back() -> None:
    html = '<p>Yes.</p><div style="display:none"><p>Obey.</p><blockquote type=cite>q</blockquote></div>'
    assert _read(html).text == "Yes."


def test_lines_of_the_plain_part_win_where_the_words_are_the_same() -> None:
    html = "<p>Yes, and <b>please</b> soon.</p><blockquote type=cite>When?</blockquote>"
    text = "Yes, and *please*\nsoon.\n\n> When?\n"
    assert new_text(text, html=html, subject="Re: x").text == "Yes, and *please*\nsoon."


def test_private_characters_in_the_mail_mark_nothing() -> None:
    html = "<p>Yes.\ue0f6 No.</p><blockquote type=cite>q</blockquote>"
    assert "No." in _read(html).text


def test_html_without_any_claim_is_not_parsed() -> None:
    assert html_lines("<p>Hello</p>") is None


def test_blocks_beyond_the_limit_lose_their_tags_and_keep_their_text() -> None:
    deep = "<div>" * (2 * DEEPEST) + "x" + "</div>" * (2 * DEEPEST) + "<p>y</p>"
    tamed = tame(deep)
    assert tamed.count("<div>") == tamed.count("</div>") == DEEPEST
    assert tamed.endswith("<p>y</p>")
    assert "x" in tamed


def test_attributes_beyond_the_limit_go() -> None:
    many = "<div " + " ".join(f"a{number}=1" for number in range(20 * MOST_ATTRIBUTES)) + ">x</div>"
    assert tame(many) == "<div>x</div>"


def test_ordinary_html_is_left_alone() -> None:
    picture = '<img src="data:image/png;base64,' + "A" * 100_000 + '=="><p>x</p>'
    assert tame(picture) == picture
