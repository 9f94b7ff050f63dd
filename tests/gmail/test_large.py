"""A mail larger than Gmail takes from us can still arrive there: it is noted and read."""

from __future__ import annotations

from email.message import EmailMessage

from providers.gmail.writing import RAW_OCTETS
from providers.mime.reading import read_mail
from tests.contracts.mails import question
from tests.gmail.conftest import Site


def _large() -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "mina@example.org", "robin@example.com"
    mail["Subject"], mail["Message-ID"] = "The film", "<film@example.org>"
    mail.set_content("Robin, could you look at this?\n")
    mail.add_attachment(bytes(28 * 1024 * 1024), maintype="video", subtype="mp4", filename="f.mp4")
    return mail.as_bytes()


async def test_a_mail_above_the_limit_of_the_api_is_read_and_stops_no_other(site: Site) -> None:
    raw = _large()
    assert len(raw) > RAW_OCTETS
    site.deliver(raw)
    site.deliver(question())
    mailbox = site.mailbox(answer_s=30.0)
    seen = (await mailbox.changes(None, since=None, known=site.known)).seen
    assert len(seen) == 2
    fetched = await mailbox.fetch([one.ref for one in seen])
    texts = [read_mail(one.raw).text for one in fetched if one.raw is not None]
    assert len(texts) == 2
    assert any("could you look at this" in text for text in texts)
