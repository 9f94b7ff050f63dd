"""Text out of bytes whose label is missing, wrong or unknown."""

from __future__ import annotations

import pytest

from providers.mime.charset import codec_for, decode
from providers.mime.reading import read_mail
from tests.mime.build import mail

CYRILLIC = "Добрый день! Подскажите, пожалуйста, когда будет готов новый план дома?"
GREEK = "Καλημέρα, μπορείτε να στείλετε τα νέα σχέδια μέχρι την Παρασκευή;"
HEBREW = "שלום רובין, אפשר לקבוע פגישה ליום שני בבוקר?"
ARABIC = "مرحبا روبن، هل يمكنك إرسال الخطة الجديدة يوم الخميس؟"
THAI = "สวัสดี ช่วยส่งแบบแปลนใหม่ให้หน่อยได้ไหม"
TURKISH = "Günaydın, yeni planı perşembeye kadar gönderebilir misiniz?"
CZECH = "Dobrý den, můžete mi poslat nový plán do čtvrtka? Děkuji, přeji hezký den."
POLISH = "Dzień dobry, czy możesz przesłać nowy plan do czwartku? Dziękuję."
CHINESE = "你好，请确认星期二下午的会议室，谢谢。"
TAIWANESE = "您好，請確認星期二下午的會議室，謝謝。"
KOREAN = "안녕하세요, 화요일 회의실을 확인해 주세요."
JAPANESE = "会議の日程を教えてください。よろしくお願いします。"
GERMAN = "Grüße aus Köln, könnten wir uns über die Maße unterhalten?"

LABELLED = [
    ("koi8-r", "koi8-r", CYRILLIC),
    ("koi8-u", "koi8-u", "Привіт, чи є новий план?"),
    ("windows-1251", "cp1251", CYRILLIC),
    ("cp1251", "cp1251", CYRILLIC),
    ("x-mac-cyrillic", "mac_cyrillic", CYRILLIC),
    ("ISO-8859-5", "iso8859-5", CYRILLIC),
    ("ibm866", "cp866", CYRILLIC),
    ("iso-8859-7", "iso8859-7", GREEK),
    ("windows-1253", "cp1253", GREEK),
    ("iso-8859-8", "iso8859-8", HEBREW),
    ("iso-8859-8-i", "iso8859-8", HEBREW),
    ("ISO-8859-8-E", "iso8859-8", HEBREW),
    ("windows-1255", "cp1255", HEBREW),
    ("iso-8859-6", "iso8859-6", ARABIC),
    ("windows-1256", "cp1256", ARABIC),
    ("tis-620", "tis-620", THAI),
    ("windows-874", "cp874", THAI),
    ("iso-8859-9", "iso8859-9", TURKISH),
    ("windows-1254", "cp1254", TURKISH),
    ("iso-8859-2", "iso8859-2", CZECH),
    ("windows-1250", "cp1250", POLISH),
    ("gb2312", "gbk", CHINESE),
    ("GBK", "gbk", CHINESE),
    ("gb18030", "gb18030", CHINESE),
    ("x-gbk", "gbk", CHINESE),
    ("hz-gb-2312", "hz", CHINESE),
    ("big5", "big5", TAIWANESE),
    ("CN-Big5", "big5", TAIWANESE),
    ("ks_c_5601-1987", "cp949", KOREAN + " 똠방각하"),
    ("euc-kr", "cp949", KOREAN + " 똠방각하"),
    ("iso-2022-kr", "iso2022_kr", KOREAN),
    ("shift_jis", "cp932", JAPANESE + "①髙"),
    ("x-sjis", "cp932", JAPANESE),
    ("Windows-31J", "cp932", JAPANESE),
    ("euc-jp", "euc_jp", JAPANESE),
    ("iso-2022-jp", "iso2022_jp", JAPANESE),
    ("ISO-2022-JP-2", "iso2022_jp_2", JAPANESE),
    ("cp50221", "iso2022_jp", JAPANESE),
    ("iso-8859-15", "iso8859-15", "10 € für Œuvre"),
    ("macintosh", "mac_roman", GERMAN),
    ("cp-850", "cp850", GERMAN),
    ("ansi", "cp1252", GERMAN),
    ("utf8", "utf-8", GERMAN),
    ("utf-8; format=flowed", "utf-8", GERMAN),
    ("UTF-8mb4", "utf-8", GERMAN),
    ("utf-16", "utf-16", GERMAN),
    ("utf-16le", "utf-16-le", GERMAN),
    ("unicode-1-1-utf-7", "utf-7", GERMAN),
    ("'iso-8859-1'", "latin-1", GERMAN),
    ("ISO8859_1", "latin-1", GERMAN),
]


@pytest.mark.parametrize(("label", "codec", "text"), LABELLED)
def test_a_label_that_mail_uses_is_read_as_its_codec(label: str, codec: str, text: str) -> None:
    assert decode(text.encode(codec), label).text == text


UNKNOWN = [
    "x-unknown", "unknown-8bit", "", "rot13", "hex", "base64", "zlib", "idna", "undefined",
    "punycode", "unicode_escape", "raw_unicode_escape", "8bit", "binary", "x-user-defined",
    "mbcs", "none", "NULL", "charset", "us-ascii-8", "\x00", "a" * 5000, "ütf-8", "cp037", "cp500",
]  # fmt: skip


@pytest.mark.parametrize("label", UNKNOWN)
def test_a_label_that_names_no_character_set_is_not_believed(label: str) -> None:
    assert codec_for(label) is None


@pytest.mark.parametrize("label", UNKNOWN)
def test_text_under_an_unknown_label_is_still_shown(label: str) -> None:
    assert decode(GERMAN.encode(), label).text == GERMAN


def test_python_codecs_are_not_run_because_a_mail_asks_for_them() -> None:
    assert decode(b"uryyb", "rot13").text == "uryyb"


WRONG = [
    ("iso-8859-1", "cp1252", "It’s 20€ – or less…"),
    ("us-ascii", "cp1252", "It’s 20€"),
    ("us-ascii", "utf-8", "Café Größe"),
    ("iso-8859-1", "utf-8", "Café Größe"),
    ("windows-1252", "utf-8", "naïve — yes"),
    ("utf-8", "cp1252", "Grüße aus München, könnten wir uns treffen?"),
    ("utf-8", "koi8-r", CYRILLIC),
    ("utf-8", "gbk", CHINESE * 2),
    ("utf-16", "ascii", "plain words"),
    ("gb2312", "gbk", "朱镕基路"),
    ("x-unknown", "cp1251", CYRILLIC),
    ("x-unknown", "cp932", JAPANESE),
    ("", "cp1251", CYRILLIC),
    ("", "cp949", KOREAN),
    ("", "utf-8-sig", "Café"),
    ("utf-8", "utf-8-sig", "Café"),
    ("iso-8859-1", "utf-16", "Café"),
]


@pytest.mark.parametrize(("label", "codec", "text"), WRONG)
def test_a_wrong_label_is_seen_through(label: str, codec: str, text: str) -> None:
    assert decode(text.encode(codec), label).text == text


def test_the_rung_that_was_used_is_noted() -> None:
    assert decode("Grüße".encode(), "us-ascii").note == "declared us-ascii, read as utf-8"


def test_text_read_as_declared_has_no_note() -> None:
    assert decode(CYRILLIC.encode("koi8-r"), "koi8-r").note is None


DAMAGED = [
    (b"a bad byte \xe2\x80 here and on", "utf-8", "a bad byte \ufffd here and on"),
    ("schön".encode() + b" \xff und gut", "utf-8", "schön \ufffd und gut"),
    ("naïve café".encode()[:-1], "utf-8", "naïve caf\ufffd"),
    (b"\x1b$B2q5D\x1b(B ok \x1b$B-!\x1b(B", "iso-2022-jp", "会議 ok ①"),
    (b"\x1b$B2q5D no end", "iso-2022-jp", None),
    (b"\x1b(I6@6E\x1b(B", "iso-2022-jp", "ｶﾀｶﾅ"),
    (b"\x1b$B2q5", "iso-2022-jp", None),
]


@pytest.mark.parametrize(("raw", "label", "text"), DAMAGED)
def test_damaged_text_keeps_what_is_whole(raw: bytes, label: str, text: str | None) -> None:
    found = decode(raw, label).text
    assert found == text if text is not None else found


@pytest.mark.parametrize("label", ["utf-8", "utf-16", "gb18030", "utf-7", "hz", "cp1252", None])
def test_any_bytes_become_valid_text_in_any_character_set(label: str | None) -> None:
    raw = bytes(range(256)) * 3
    assert read_mail(mail(raw, f"Content-Type: text/plain; charset={label}")).text.encode()


def test_a_character_set_named_by_the_html_itself_is_used() -> None:
    html = f'<html><head><meta charset="windows-1251"></head><body>{CYRILLIC}</body></html>'
    raw = mail(html.encode("cp1251"), "Content-Type: text/html", "Content-Transfer-Encoding: 8bit")
    assert read_mail(raw).text == CYRILLIC


def test_the_label_of_the_mail_wins_over_the_one_in_the_html() -> None:
    html = f'<meta http-equiv="Content-Type" content="text/html; charset=utf-8">{CYRILLIC}'
    raw = mail(html.encode("koi8-r"), "Content-Type: text/html; charset=koi8-r")
    assert read_mail(raw).text == CYRILLIC
