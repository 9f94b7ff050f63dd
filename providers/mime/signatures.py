"""Find where a run of the author's own lines ends in a signature.

Two things count: what stands below the mark "-- " (RFC 3676 section 4.3), and what programs and
phones put at the end by themselves ("Sent from my iPhone", "Get Outlook for iOS", the footer of a
mailing list). A closing with a name is the author's word and stays. A postscript below a mark
stays too. Each run is looked at once, from its end: linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from providers.mime.intros import fold, is_rule, plain

_MARKS: Final = ("--", "––")
_MOST_BELOW: Final = 40
"""Lines with text below a mark beyond which it is no signature: nobody's is that long."""
_MOST_BELOW_BARE: Final = 12
"""The same below "--" without its space, which lists and tables use as well."""
_LONG_LINE: Final = 200
_FOOTER_LINE: Final = 120
_MOST_FOOTER: Final = 12

_POSTSCRIPT: Final = re.compile(
    r"^(?:p\.? ?p?\.? ?s\b|n\.?b\.? ?[:.]|p\.? ?d\.? ?[:.]|з\.? ?ы\b|псс?\b|附言|追伸|추신)",
    re.IGNORECASE,
)

_DEVICES: Final = re.compile(
    r"(?<![^\W\d_])(?:(?:apple watch|samsung|galaxy|huawei|honor|xiaomi|redmi|poco|oneplus|oppo|"
    r"vivo|realme|nokia|sony|xperia|htc|motorola|moto|lenovo|pixel|lg|blackberry|windows|yahoo|gmail|"
    r"googlemail|gmx|web\.de|t-online|telekom|aol|hotmail|live|icloud|mail|e-mail|email|"
    r"protonmail|proton|tuta|tutanota|posteo|mailbox|spark|superhuman|airmail|mailbird|thunderbird|"
    r"k-9|aquamail|fairemail|nine|boxer|canary|edison|bluemail|typeapp|zoho|em client|mailspring|"
    r"hey|front|libero|virgilio|orange|sfr|laposte|wp|onet|interia|seznam|ukr\.net|яндекс|yandex|"
    r"mail\.ru|qq|foxmail|naver|daum|mac|macbook|imac|surface|chromebook|mobile?|smartphone|phone|"
    r"téléphone|teléfono|telefone|telefono|móvil|celular|cellulare|handy|tablet|tablette|κινητό|"
    r"συσκευή|device|gerät|appareil|dispositivo|zařízení|enhet|enhed|điện thoại|ponsel|נייד|טלפון|"
    r"هاتفي|هاتف|جوال|جوالي|الهاتف|موبایل|گوشی)(?![a-zß-ɏα-ωа-яёіїє])"
    r"|iphon|ipad|ipod|android|outlook|mobil|telefon|puhelim|luuri|kännykä|matkapuhelim|телефон|мобил|"
    r"смартфон|планшет|urządze|устройств|пристро|zariaden|laite|készülék|tablet|mobiel)"
    r"|手机|手機|平板|小米|华为|華為|荣耀|网易|腾讯|携帯|スマートフォン|スマホ|휴대폰|휴대전화|스마트폰|갤럭시|삼성|네이버|יישומון"
    r"|iphone|ipad|android|outlook|אייפון|آيفون|آیفون"
)
"""Devices and programs that a phone's footer names."""

_SENT_FIRST: Final = re.compile(
    r"(?:(?:this|my) (?:message|e-?mail) (?:was )?)?(?:sent|typed|written|composed|posted) "
    r"(?:from|via|with|using|by|on|through|while)\b"
    r"|(?:diese (?:nachricht|e-?mail|mail) (?:wurde )?)?(?:gesendet|geschickt|verschickt|versendet|"
    r"geschrieben) (?:von|vom|mit|über|via|aus)\b"
    r"|(?:diese|die) (?:nachricht|e-?mail|mail) wurde (?:von|vom|mit|über|via)\b"
    r"|(?:envoyé|expédié|écrit)e?s? (?:de|depuis|à partir|avec|via|par|du|d['’])"
    r"|(?:ce (?:message|courriel)|cet e-?mail) a été envoyé\b"
    r"|(?:enviad[oa]|escrito|mandado) (?:desde|de|del|con|vía|via|por|a través|do|da|pelo|pela|com|"
    r"a partir|no)\b"
    r"|(?:inviat[oa]|scritto|spedito) (?:da|dal|dalla|dall['’]|con|tramite|via|mediante)"
    r"|(?:verzonden|verstuurd|gestuurd) (?:vanaf|met|via|vanuit|van|door|uit)\b"
    r"|(?:wysłan[oeay]|napisane) (?:z|ze|za|przez|poprzez)\b"
    r"|(?:отправлен[оаы]?|послано|написано) (?:с|со|из|через|от|при)\b"
    r"|(?:надіслан[оаи]й?|відправлен[оаи]й?) (?:з|із|зі|через|від|за)\b"
    r"|(?:odeslán[oa]|posláno|odoslan[éáo]|poslané) (?:z|ze|zo|pomocí|pomocou|přes|cez|aplikací)\b"
    r"|skicka(?:t|d|des) (?:från|via|med)\b"
    r"|(?:sendt|skrevet) (?:fra|via|med|på)\b"
    r"|lähetetty\b"
    r"|(?:el)?küldve\b"
    r"|trimisă? (?:de pe|din|cu|prin|de la|folosind)\b"
    r"|(?:στάλθηκε|εστάλη|απεστάλη) (?:από|απο|με|μέσω)\b"
    r"|изпратен[оа]? (?:от|с|чрез)\b"
    r"|posla(?:no|to) (?:s|sa|z|iz|putem)\b"
    r"|(?:发自|發自|发送自|發送自|来自|來自|从|從|由|使用|通过|透過)"
    r"|(?:đã |được )?gửi (?:từ|bằng|qua)\b"
    r"|(?:dikirim|terkirim) (?:dari|dengan|melalui|menggunakan)\b"
    r"|נשלחה? (?:מ|באמצעות)"
    r"|(?:أرسلت|أُرسلت|مرسلة?|تم الإرسال|أرسل) (?:من|بواسطة|عبر)"
    r"|(?:ارسال|فرستاده) شده (?:از|با)"
    r"|ส่งจาก"
    r"|(?:saadetud|išsiųsta|nosūtīts|enviat) "
)
_SENT_LAST: Final = re.compile(
    r"(?:gesendet|geschickt|verschickt|versendet|geschrieben|küldve|elküldve|gönderildi|"
    r"gönderilmiştir|yazıldı|lähetetty|发送|發送|傳送|寄出|发出|"
    r"送信|送られた(?:もの|メール)?(?:です)?|보냄|보낸 메일|"
    r"보냈습니다|보낸 메일입니다|전송|전송됨|작성함)$"
)
_CJK_FIRST: Final = re.compile("[\u4e00-\u9fff]")
_GET: Final = re.compile(
    r"outlook\w*.{0,24}(?:ios|android|mobile|mac)|(?:ios|android).{0,24}outlook"
)
_APPS: Final = re.compile(
    r"(?:virus[- ]free|virenfrei|sans virus|libre de virus|senza virus|virusvrij|"
    r"checked for viruses by|auf viren (?:geprüft|überprüft)|avast antivirus|"
    r"scanned by|yahoo mail: search|sent with .{0,30}secure email|"
    r"yahoo mail.{0,40}(?:android|iphone|ios))"
)
_LINK: Final = re.compile(r"<?\(?(?:https?://|www\.)[^\s>)]{1,300}\)?>?|\[[^\]]{1,80}\]$")
_FOOTER: Final = re.compile(
    r"mailing list|mailinglist|mailman|listinfo|unsubscribe|liste de diffusion|lista de correo|"
    r"mailinglijst|abmelden|to post to this (?:group|list)|google groups|groups\.google"
)


def signature_start(lines: Sequence[str], raw: Sequence[str]) -> tuple[int, str | None]:
    """Where in a run of the author's plain lines its signature begins, and which kind it is.

    ``raw`` are the same lines with the spaces at their ends.
    Returns (len(lines), None) where there is none. Kinds: "signature", "mobile signature",
    "list footer".
    """
    end = len(lines)
    kind: str | None = None
    footer = _footer_start(lines)
    if footer is not None:
        end, kind = footer, "list footer"
    marked = _marked_start(lines, raw, end)
    if marked is not None:
        end, kind = marked, "signature"
    phone = _phone_start(lines, end)
    if phone < end:
        end, kind = phone, kind or "mobile signature"
    return end, kind


def postscript(lines: Sequence[str]) -> list[int]:
    """Which of the lines below a mark are a postscript, by position: from "PS" to a blank line."""
    kept: list[int] = []
    inside = False
    for at, line in enumerate(lines):
        if not line:
            inside = False
        elif inside or _POSTSCRIPT.match(line):
            inside = True
            kept.append(at)
    return kept


def _marked_start(lines: Sequence[str], raw: Sequence[str], end: int) -> int | None:
    marks = [at for at in range(max(0, end - 4 * _MOST_BELOW), end) if lines[at] in _MARKS]
    bare = [at for at in marks if not raw[at].endswith((" ", "\u00a0"))]
    exact = [at for at in marks if at not in bare]
    for at in exact:
        below = [line for line in lines[at + 1 : end] if line]
        if len(below) <= _MOST_BELOW:
            return at
    if len(bare) == 1 and _reads_as_signature(lines[bare[0] + 1 : end]):
        return bare[0]
    return None


def _reads_as_signature(below: Sequence[str]) -> bool:
    """Whether lines below a bare "--" may go: few, short, and nothing asked in them."""
    filled = [line for line in below if line]
    if not filled or len(filled) > _MOST_BELOW_BARE:
        return False
    if any(len(line) >= _LONG_LINE for line in filled):
        return False
    asked = [line for line in filled if line.endswith(("?", "？", "؟", ";"))]
    return not asked or all(_POSTSCRIPT.match(line) for line in asked)


def _phone_start(lines: Sequence[str], end: int) -> int:
    """Steps back over trailing lines that a phone or program added."""
    found = at = end
    seen = 0
    while at > 0 and seen < 4:
        line = lines[at - 1]
        if line:
            if not is_program_footer(line):
                break
            seen += 1
            found = at - 1
        at -= 1
    if found < end:
        while found > 0 and (not lines[found - 1] or is_rule(lines[found - 1])):
            found -= 1
    return found


def is_program_footer(line: str) -> bool:
    """Whether ``line`` is one that a phone or mail program adds below a text by itself."""
    if len(line) > 400:
        return False
    text = plain(line)
    without = _LINK.sub(" ", text).strip("<>()[]*_ .-–—|")
    folded = fold(without)
    if not folded:
        return bool(_LINK.search(text)) and "aka.ms" in text
    if len(folded) > _FOOTER_LINE or len(folded.split()) > 14:
        return False
    if text.rstrip("*_ ").endswith(("?", "？", "!", ":", ",", "؟")):
        return False
    if _GET.search(folded):
        return len(folded.split()) <= 9 and not text.endswith(".")
    if _APPS.search(folded):
        return True
    return _says_sent(folded)


def _says_sent(folded: str) -> bool:
    if not _DEVICES.search(folded):
        return False
    if _CJK_FIRST.match(folded):
        return bool(_SENT_LAST.search(folded)) or folded.startswith(
            ("发自", "發自", "发送自", "來自", "来自")
        )
    return bool(_SENT_FIRST.match(folded) or _SENT_LAST.search(folded))


def _footer_start(lines: Sequence[str]) -> int | None:
    """Where the footer of a mailing list begins: a drawn line, then few lines naming the list."""
    first = max(0, len(lines) - _MOST_FOOTER)
    for at in range(len(lines) - 1, first - 1, -1):
        if len(lines[at]) >= 4 and is_rule(lines[at]):
            below = [fold(line[:_LONG_LINE]) for line in lines[at + 1 :] if line]
            if any(_FOOTER.search(line) for line in below) and not any("?" in b for b in below):
                return at
    return None
