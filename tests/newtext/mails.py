"""Mails of invented people, with their authors' own words worked out by hand.

Sixteen kinds, as mail programs and people make them. ``own`` is what the author wrote; ``text`` is
the plain body, or None where the mail is HTML only. Used by the tests and by the bench.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One mail body and what is the author's own in it."""

    name: str
    kind: str
    own: str
    text: str | None = None
    html: str | None = None
    subject: str = "Re: Hall"
    parents: tuple[str, ...] = ()
    forward: bool = False


ASK: Final = (
    "Hello Mina,\n\ncould you tell me whether the small hall is free on the first Tuesday in March,\n"
    "and whether we may bring our own chairs? There will be about thirty of us.\n\nThanks,\nRobin"
)
"""A message that is answered."""

_OUTLOOK_HEAD: Final = (
    '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
    '<p class="MsoNormal"><b>{0}</b> Robin Vale &lt;robin@example.com&gt;<br><b>{1}</b> Montag<br>'
    "<b>{2}</b> Mina Okafor<br><b>{3}</b> Halle</p></div>"
)

SAMPLES: Final = (
    # Outlook, HTML
    Sample(
        name="outlook-word-html", kind="outlook html", own="It is free. Shall I put your name down?\n\nMina",
        html='<html><body><div class="WordSection1"><p class="MsoNormal">It is free. Shall I put your name down?</p>'
        '<p class="MsoNormal">&nbsp;</p><p class="MsoNormal">Mina</p>'
        + _OUTLOOK_HEAD.format("From:", "Sent:", "To:", "Subject:")
        + '<p class="MsoNormal">Hello Mina,</p><p class="MsoNormal">is it free?</p></div></body></html>',
    ),
    Sample(
        name="outlook-web-html", kind="outlook html", own="Thirty is fine, but please not more.",
        html='<div dir="ltr"><div class="elementToProof">Thirty is fine, but please not more.</div></div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        '<div id="divRplyFwdMsg" dir="ltr"><font><b>From:</b> Robin Vale &lt;robin@example.com&gt;<br><b>Sent:</b> Monday<br>'
        "<b>To:</b> Mina<br><b>Subject:</b> Hall</font><div>&nbsp;</div></div><div>Is the hall free?</div>",
    ),
    Sample(
        name="outlook-web-unknown-language", kind="outlook html", own="Jah, kolmekümmend sobib.",
        html='<div>Jah, kolmekümmend sobib.</div><div id="appendonsend"></div><hr>'
        '<div id="divRplyFwdMsg"><b>Saatja:</b> Robin Vale<br><b>Teemarida:</b> Saal</div><div>Kas saal on vaba?</div>',
    ),
    Sample(
        name="outlook-german-html", kind="outlook html", own="Die Halle ist frei. Wie lange brauchen Sie sie?",
        html="<p>Die Halle ist frei. Wie lange brauchen Sie sie?</p>"
        + _OUTLOOK_HEAD.format("Von:", "Gesendet:", "An:", "Betreff:") + "<p>Ist die Halle frei?</p>",
    ),
    Sample(
        name="outlook-answers-inside", kind="outlook html", parents=(ASK,),
        own="Please see my answers below.\n\nYes, it is.\n\nNo, the floor is new.",
        html="<p>Please see my answers below.</p>" + _OUTLOOK_HEAD.format("From:", "Sent:", "To:", "Subject:")
        + "<p>Hello Mina,</p><p>could you tell me whether the small hall is free on the first Tuesday in March,</p>"
        '<p style="color:red">Yes, it is.</p><p>and whether we may bring our own chairs? There will be about thirty of us.</p>'
        '<p style="color:red">No, the floor is new.</p><p>Thanks,<br>Robin</p>',
    ),
    # Gmail
    Sample(
        name="gmail-html", kind="gmail", own="Yes, and please bring the key.",
        html='<div dir="ltr">Yes, and <b>please</b> bring the key.</div><br><div class="gmail_quote gmail_quote_container">'
        '<div dir="ltr" class="gmail_attr">On Mon, Mar 2, 2026 at 9:12 AM Robin Vale &lt;<a href="mailto:robin@example.com">robin@example.com</a>&gt; wrote:<br></div>'
        '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px #ccc solid">Shall I come at five?<div class="gmail_quote"><blockquote class="gmail_quote">Older</blockquote></div></blockquote></div>',
    ),
    Sample(
        name="gmail-both-parts", kind="gmail", own="Yes, and *please* bring the key.",
        text="Yes, and *please* bring the key.\n\nOn Mon, Mar 2, 2026 at 9:12 AM Robin Vale <robin@example.com> wrote:\n\n> Shall I come at five?\n>\n",
        html='<div dir="ltr">Yes, and <b>please</b> bring the key.</div><div class="gmail_quote"><div class="gmail_attr">On Mon, Mar 2, 2026 at 9:12 AM Robin Vale wrote:</div>'
        '<blockquote class="gmail_quote">Shall I come at five?</blockquote></div>',
    ),
    Sample(
        name="gmail-inline-html", kind="gmail", own="Blue, please.\n\nTwelve.\nAnything else?",
        html='<div class="gmail_quote"><div class="gmail_attr">On Mon, Mar 2, 2026 Robin Vale wrote:</div><blockquote class="gmail_quote">Red or blue?</blockquote>'
        '<div>Blue, please.</div><blockquote class="gmail_quote">How many?</blockquote><div>Twelve.</div></div><div>Anything else?</div>',
    ),
    Sample(
        name="gmail-signature-html", kind="gmail", own="Yes, five is fine.",
        html='<div dir="ltr">Yes, five is fine.<br clear="all"><br><span class="gmail_signature_prefix">-- </span><br><div class="gmail_signature">Mina Okafor<br>Head of Sheds</div></div>',
    ),
    Sample(
        name="gmail-text-tight", kind="gmail", own="Five it is.",
        text="Five it is.\nOn Mon, 2 Mar 2026 at 09:12, Robin Vale <robin@example.com> wrote:\n> Shall I come at five?\n> Or at six?",
    ),
    # Apple Mail
    Sample(
        name="apple-text", kind="apple", own="I can do both days.\n\nMina",
        text="I can do both days.\n\nMina\n\n> On 2 Mar 2026, at 09:12, Robin Vale <robin@example.com> wrote:\n> \n> Which day suits you?\n> Robin\n",
    ),
    Sample(
        name="apple-html", kind="apple", own="I can do both days.",
        html='<div>I can do both days.</div><div><br><blockquote type="cite"><div>On 2 Mar 2026, at 09:12, Robin Vale &lt;robin@example.com&gt; wrote:</div><br><div>Which day?</div></blockquote></div>',
    ),
    Sample(
        name="apple-split-html", kind="apple", own="The first.\n\nTen o'clock.",
        html='<blockquote type="cite"><div>On 2 Mar 2026, at 09:12, Robin Vale wrote:</div><div>Which day?</div></blockquote><div>The first.</div>'
        '<blockquote type="cite"><div>What time?</div></blockquote><div>Ten o\'clock.</div>',
    ),
    # German, two programs
    Sample(
        name="thunderbird-de", kind="german", subject="Re: Halle", own="Passt mir gut.\n\nGruß\nLena",
        text="Am 02.03.26 um 09:12 schrieb Robin Vale:\n> Passt der Dienstag?\n> Oder lieber Mittwoch?\n\nPasst mir gut.\n\nGruß\nLena\n",
    ),
    Sample(
        name="outlook-de", kind="german", subject="AW: Halle", own="Passt mir gut.\n\nMit freundlichen Grüßen\nLena Weber",
        text="Passt mir gut.\n\nMit freundlichen Grüßen\nLena Weber\n\n-----Ursprüngliche Nachricht-----\nVon: Robin Vale <robin@example.com> \nGesendet: Montag, 2. März 2026 09:12\nAn: Lena Weber <lena@example.org>\nBetreff: Halle\n\nPasst der Dienstag?\n",
    ),
    Sample(
        name="gmx-de-html", kind="german", subject="Aw: Halle", own="Dienstag geht leider nicht.",
        html='<div>Dienstag geht leider nicht.</div><div><div name="quote" style="margin:10px 5px 5px 10px;border-left:2px solid #C3D9E5;"><div><b>Gesendet:</b>&nbsp;Montag<br><b>Von:</b>&nbsp;Robin Vale</div><div>Passt Dienstag?</div></div></div>',
    ),
    # French
    Sample(
        name="gmail-fr-wrapped", kind="french", own="D'accord pour mardi.\n\nBonne journée,\nLéa",
        text="D'accord pour mardi.\n\nBonne journée,\nLéa\n\nLe lun. 2 mars 2026 à 09:12, Robin Vale de la Société des Jardins <\nrobin@example.com> a écrit :\n\n> Mardi vous convient-il ?\n",
    ),
    Sample(
        name="outlook-fr", kind="french", subject="RE: Salle", own="La salle est libre. Combien serez-vous ?",
        text="La salle est libre. Combien serez-vous ?\n\nDe : Robin Vale <robin@example.com>\nEnvoyé : lundi 2 mars 2026 09:12\nÀ : Léa Martin\nObjet : Salle\n\nLa salle est-elle libre ?",
    ),
    Sample(
        name="ios-fr", kind="french", own="Oui, à dix heures.",
        text="Oui, à dix heures.\n\nEnvoyé de mon iPhone\n\n> Le 2 mars 2026 à 09:12, Robin Vale <robin@example.com> a écrit :\n> \n> \ufeffÀ quelle heure ?\n",
    ),
    # Japanese
    Sample(
        name="gmail-ja", kind="japanese", own="火曜日で問題ありません。\n佐藤",
        text="火曜日で問題ありません。\n佐藤\n\n2026年3月2日(月) 9:12 Robin Vale <robin@example.com>:\n\n> 火曜日はいかがですか。\n",
    ),
    Sample(
        name="outlook-ja", kind="japanese", own="承知しました。\n会場の鍵は誰が持っていますか。",
        text="承知しました。\n会場の鍵は誰が持っていますか。\n\n-----Original Message-----\nFrom: Robin Vale <robin@example.com>\nSent: Monday, March 2, 2026 9:12 AM\nTo: 佐藤\nSubject: 会場\n\n火曜日はいかがですか。\n",
    ),
    Sample(
        name="iphone-ja", kind="japanese", own="はい、行きます。",
        text="はい、行きます。\n\niPhoneから送信\n\n2026/03/02 9:12、Robin Vale <robin@example.com>のメール:\n\n> 来られますか。\n",
    ),
    # Flowed text and wrapped introductions
    Sample(
        name="wrapped-intro", kind="wrapped", own="Yes, fine by me.",
        text="Yes, fine by me.\n\nOn Mon, 2 Mar 2026 at 09:12, Robin Vale of the Northern Allotment Society <\nrobin@example.com> wrote:\n\n> Does Tuesday suit you? I could also do Wednesday or Thursday if that is easier\nfor everybody.\n",
    ),
    Sample(
        name="wrapped-leftover-middle", kind="wrapped", own="Agreed, let us meet at the gate.",
        text="Agreed, let us meet at the gate.\n\nOn 3/2/26 9:12 AM, Robin Vale wrote:\n> I could also come on Wednesday or on Thursday in case that is easier for\neverybody else.\n> Robin\n",
    ),
    Sample(
        name="flowed-signature", kind="wrapped", own="I will bring the long ladder and the\nshort one too.",
        text="I will bring the long ladder and the \nshort one too.\n\n-- \nMina \n",
    ),
    Sample(
        name="wrapped-thrice", kind="wrapped", own="Gern.",
        text="Gern.\n\nAm Montag, dem 2. März 2026 um 09:12 Uhr\nschrieb Robin Vale\n<robin@example.com>:\n> Kommst du?\n",
    ),
    # Answers between the lines and below
    Sample(
        name="inline", kind="inline answers", own="Blue.\n\nTwelve, please.\n\nBy Friday. Is that possible?",
        text="On Mon, 2 Mar 2026, Robin Vale wrote:\n> 1. Red or blue?\nBlue.\n> 2. How many?\nTwelve, please.\n> 3. When?\nBy Friday. Is that possible?\n",
    ),
    Sample(
        name="inline-lower-case", kind="inline answers", own="yes\n\nno, but soon",
        text="Robin Vale wrote:\n> Is the hall free on the first Tuesday of March, as you had told us once\nyes\n> And is the heating mended by now, so that nobody has to sit in coats\nno, but soon\n",
    ),
    Sample(
        name="bottom", kind="inline answers", own="I would rather take the first one.\n\nMina",
        text="On 02/03/2026 09:12, Robin Vale wrote:\n> Which of the two would you take?\n>\n> Robin\n\nI would rather take the first one.\n\nMina\n",
    ),
    Sample(
        name="top-and-inline", kind="inline answers", own="Thanks for asking, see below.\n\nYes, with pleasure.\n\nBest,\nMina",
        text="Thanks for asking, see below.\n\nOn Mon, Mar 2, 2026 at 9:12 AM Robin Vale <robin@example.com> wrote:\n\n> Will you come?\n\nYes, with pleasure.\n\n> Robin\n\nBest,\nMina\n",
    ),
    Sample(
        name="quote-first-no-intro", kind="inline answers", own="Yes, both of them.",
        text="> Have you got the keys?\n> Both of them?\n\nYes, both of them.\n",
    ),
    Sample(
        name="inline-original-message-marked", kind="inline answers", own="Green.\n\nOn Sunday.",
        text="-----Original Message-----\nFrom: Robin Vale <robin@example.com>\nSent: Monday, March 2, 2026 9:12 AM\nTo: Mina Okafor\nSubject: Two things\n\n> What colour?\nGreen.\n> Which day?\nOn Sunday.\n",
    ),
    # Signatures
    Sample(
        name="signature", kind="signature", subject="Tuesday", own="Could you open the hall on Tuesday?\n\nThanks,\nMina",
        text="Could you open the hall on Tuesday?\n\nThanks,\nMina\n\n-- \nMina Okafor\nHead of Sheds, Example Org\n+00 555 0100\n",
    ),
    Sample(
        name="signature-bare-dashes", kind="signature", subject="Tuesday", own="Could you open the hall?",
        text="Could you open the hall?\n\n--\nMina Okafor\nwww.example.org\n",
    ),
    Sample(
        name="signature-and-quote", kind="signature", own="I can.",
        text="I can.\n\n-- \nMina Okafor\nExample Org\n\nOn Mon, 2 Mar 2026 at 09:12, Robin Vale <robin@example.com> wrote:\n> Can you?\n",
    ),
    Sample(
        name="signature-below-bottom-answer", kind="signature", own="I can, at nine.",
        text="Robin Vale wrote:\n> Can you?\n\nI can, at nine.\n\n-- \nMina\n",
    ),
    Sample(
        name="postscript-below-signature", kind="signature", subject="Tuesday", own="Could you open the hall?\n\nPS: Is the heating on?",
        text="Could you open the hall?\n\n-- \nMina Okafor\n\nPS: Is the heating on?\n",
    ),
    Sample(
        name="list-footer", kind="signature", subject="[sheds] Roof", own="Who has a spare tarpaulin?\n\nMina",
        text="Who has a spare tarpaulin?\n\nMina\n_______________________________________________\nSheds mailing list\nsheds@lists.example.org\nhttps://lists.example.org/listinfo/sheds\n",
    ),
    # Phones
    Sample(
        name="iphone", kind="iphone", subject="Tuesday", own="Could you open the hall?",
        text="Could you open the hall?\n\nSent from my iPhone\n",
    ),
    Sample(
        name="iphone-quote", kind="iphone", own="On my way",
        text="On my way\n\nSent from my iPhone\n\n> On 2 Mar 2026, at 09:12, Robin Vale <robin@example.com> wrote:\n> \n> Where are you?\n",
    ),
    Sample(
        name="iphone-sv", kind="iphone", own="Jag kommer klockan nio.",
        text="Jag kommer klockan nio.\n\nSkickat från min iPhone\n\n> 2 mars 2026 kl. 09:12 skrev Robin Vale <robin@example.com>:\n> \n> När kommer du?\n",
    ),
    # False friends
    Sample(
        name="arrows", kind="false friends", own="Please go to\n> Settings > Accounts > Add\nand tell me what you see.",
        text="Please go to\n> Settings > Accounts > Add\nand tell me what you see.\n",
    ),
    Sample(
        name="dashes-in-a-list", kind="false friends", subject="Menu", own="Menu\n-----\n- soup\n- bread\n-----\nWhich would you like?",
        text="Menu\n-----\n- soup\n- bread\n-----\nWhich would you like?\n",
    ),
    Sample(
        name="own-sentence-with-wrote", kind="false friends", subject="Hall", own="On Monday I wrote to you:\n\nthe hall needs a new lock. Did you get that?",
        text="On Monday I wrote to you:\n\nthe hall needs a new lock. Did you get that?\n",
    ),
    Sample(
        name="own-sentence-quotes-law", kind="false friends", own="On 2 March 2026 at 09:12 I wrote to robin@example.com:\n\nHow is that possible?",
        text="On 2 March 2026 at 09:12 I wrote to robin@example.com:\n> The key is lost.\n\nHow is that possible?\n",
    ),
    Sample(
        name="journey", kind="false friends", subject="Trip", own="Can you book this?\n\nFrom: Paris\nTo: Lyon\nDate: 3 March\n\nSecond class is fine.",
        text="Can you book this?\n\nFrom: Paris\nTo: Lyon\nDate: 3 March\n\nSecond class is fine.\n",
    ),
    Sample(
        name="from-in-prose", kind="false friends", own="From: what I heard, the hall is shut.\nTo: be honest, I doubt it. Do you know more?",
        text="From: what I heard, the hall is shut.\nTo: be honest, I doubt it. Do you know more?\n",
    ),
    Sample(
        name="pasted-headers", kind="false friends", own="Why did this bounce? Its headers:\n\nFrom: robin@example.com\nTo: mina@example.org\nSubject: Hall\nMessage-ID: <x@example.com>\n\nCan you read them?",
        text="Why did this bounce? Its headers:\n\nFrom: robin@example.com\nTo: mina@example.org\nSubject: Hall\nMessage-ID: <x@example.com>\n\nCan you read them?\n",
    ),
    Sample(
        name="python-prompt", kind="false friends", own="This fails:\n>>> import hall\n>>> hall.open()\nDo you know why?",
        text="This fails:\n>>> import hall\n>>> hall.open()\nDo you know why?\n",
    ),
    Sample(
        name="phone-in-a-sentence", kind="false friends", own="Sent from my iPhone is what his mails end with.\nIs he allowed to use one?",
        text="Sent from my iPhone is what his mails end with.\nIs he allowed to use one?\n",
    ),
    Sample(
        name="comparison", kind="false friends", own="We can only take the lift if the load is not\n> 300 kg. Do you know what it weighs?",
        text="We can only take the lift if the load is not\n> 300 kg. Do you know what it weighs?\n",
    ),
    # Outlook for phones
    Sample(
        name="outlook-ios-text", kind="outlook ios", own="Works for me.",
        text="Works for me.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Robin Vale <robin@example.com>\nSent: Monday, March 2, 2026 9:12:00 AM\nTo: Mina Okafor <mina@example.org>\nSubject: Tuesday?\n\nDoes Tuesday suit you?\n",
    ),
    Sample(
        name="outlook-ios-html", kind="outlook ios", own="Works for me.",
        html='<div dir="auto">Works for me.</div><div id="ms-outlook-mobile-body-separator-line"><br></div><div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div>'
        '<div id="mail-editor-reference-message-container"><hr><div id="divRplyFwdMsg"><b>From:</b> Robin Vale<br><b>Sent:</b> Monday<br><b>To:</b> Mina<br><b>Subject:</b> Tuesday?</div><div>Does Tuesday suit you?</div></div>',
    ),
    Sample(
        name="outlook-android-da", kind="outlook ios", subject="SV: Tirsdag", own="Det passer mig fint.",
        text="Det passer mig fint.\n\nHent Outlook til Android<https://aka.ms/AAb9ysg>\n________________________________\nFra: Robin Vale <robin@example.com>\nSendt: 2. marts 2026 09:12\nTil: Mina Okafor\nEmne: Tirsdag\n\nPasser tirsdag dig?\n",
    ),
    # Chinese
    Sample(
        name="gmail-zh", kind="chinese", own="好的，星期二可以。",
        text="好的，星期二可以。\n\nRobin Vale <robin@example.com> 于2026年3月2日周一 09:12写道：\n\n> 星期二可以吗？\n",
    ),
    Sample(
        name="qq-zh", kind="chinese", subject="回复：会议", own="好的，我会参加。",
        text="好的，我会参加。\n\n\n------------------ 原始邮件 ------------------\n发件人: \"Robin Vale\" <robin@example.com>;\n发送时间: 2026年3月2日(星期一) 上午9:12\n收件人: \"李\"<li@example.org>;\n主题: 会议\n\n您会参加吗？\n",
    ),
    Sample(
        name="iphone-zh", kind="chinese", own="我五点到。",
        text="我五点到。\n\n发自我的 iPhone\n\n> 在 2026年3月2日，09:12，Robin Vale <robin@example.com> 写道：\n> \n> 你几点到？\n",
    ),
    # Spanish, HTML only
    Sample(
        name="gmail-es-html", kind="spanish html", own="Sí, el martes me viene bien.",
        html='<div dir="ltr">Sí, el martes me viene bien.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">El lun, 2 mar 2026 a las 9:12, Robin Vale (&lt;robin@example.com&gt;) escribió:<br></div><blockquote class="gmail_quote">¿Te viene bien el martes?</blockquote></div>',
    ),
    Sample(
        name="outlook-es-html", kind="spanish html", subject="RE: Sala", own="¿Cuántas sillas necesitan?\n\nSaludos,\nInés",
        html="<p>¿Cuántas sillas necesitan?</p><p>Saludos,<br>Inés</p>" + _OUTLOOK_HEAD.format("De:", "Enviado:", "Para:", "Asunto:") + "<p>Seremos treinta.</p>",
    ),
    Sample(
        name="plain-blockquote-es", kind="spanish html", own="Mejor el jueves.\n\nY gracias por todo.",
        html="<p>Mejor el jueves.</p><p>El 2/3/26 a las 9:12, Robin Vale escribió:</p><blockquote><p>¿El martes?</p></blockquote><p>Y gracias por todo.</p>",
    ),
    # Other programs' HTML
    Sample(
        name="thunderbird-html", kind="other html", own="Not before noon.",
        html='<div class="moz-cite-prefix">On 3/2/26 09:12, Robin Vale wrote:<br></div><blockquote type="cite" cite="mid:x@example.com">When?</blockquote><p>Not before noon.</p><div class="moz-signature">-- <br>Mina</div>',
    ),
    Sample(
        name="yahoo-html", kind="other html", own="I shall be there.",
        html='<div class="ydp1yahoo-style-wrap"><div>I shall be there.</div></div><div id="ydp2yahoo_quoted_1" class="ydp2yahoo_quoted"><div>On Monday, March 2, 2026 at 09:12:00 AM GMT, Robin Vale &lt;robin@example.com&gt; wrote:</div><div>Will you?</div></div>',
    ),
    Sample(
        name="proton-html", kind="other html", own="I shall be there.",
        html='<div>I shall be there.</div><div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">Sent with Proton Mail secure email.</div></div><div class="protonmail_quote">On Monday, March 2nd, 2026 at 9:12 AM, Robin Vale &lt;robin@example.com&gt; wrote:<br><blockquote class="protonmail_quote" type="cite">Will you?</blockquote></div>',
    ),
    Sample(
        name="own-blockquote-html", kind="other html", subject="House rules", own="Rule four says:\n\nNo music after ten.\n\nIs that still so?",
        html="<p>Rule four says:</p><blockquote><p>No music after ten.</p></blockquote><p>Is that still so?</p>",
    ),
    # Forwards
    Sample(
        name="forward-bare", kind="forward", subject="Fwd: Meter", forward=True,
        own="---------- Forwarded message ---------\nFrom: Power Co <desk@power.example>\nDate: Sun, 1 Mar 2026\nSubject: Meter\nTo: <mina@example.org>\n\nPlease read your meter before Friday.",
        text="---------- Forwarded message ---------\nFrom: Power Co <desk@power.example>\nDate: Sun, 1 Mar 2026\nSubject: Meter\nTo: <mina@example.org>\n\nPlease read your meter before Friday.\n",
    ),
    Sample(
        name="forward-with-comment", kind="forward", subject="WG: Zähler", forward=True,
        own="Kannst du das übernehmen?\n\nVon: Power Co <desk@power.example>\nGesendet: Sonntag, 1. März 2026 08:00\nAn: Lena Weber\nBetreff: Zähler\n\nBitte lesen Sie Ihren Zähler ab.",
        text="Kannst du das übernehmen?\n\n-- \nLena Weber\n\nVon: Power Co <desk@power.example>\nGesendet: Sonntag, 1. März 2026 08:00\nAn: Lena Weber\nBetreff: Zähler\n\nBitte lesen Sie Ihren Zähler ab.\n",
    ),
    Sample(
        name="forward-apple-html", kind="forward", subject="Fwd: Meter", forward=True,
        own="Is this for us?\n\nBegin forwarded message:\n\nFrom: Power Co <desk@power.example>\nSubject: Meter\n\nPlease read your meter.",
        html='<div>Is this for us?</div><div><br><blockquote type="cite"><div>Begin forwarded message:</div><br><div><b>From: </b>Power Co &lt;desk@power.example&gt;</div><div><b>Subject: </b>Meter</div><br><div>Please read your meter.</div></blockquote></div>',
    ),
    Sample(
        name="reply-quoting-a-forward", kind="forward", subject="Re: Fwd: Meter", own="Done, it is 4711.",
        text="Done, it is 4711.\n\nOn Mon, 2 Mar 2026 at 09:12, Robin Vale <robin@example.com> wrote:\n> Can you do this?\n>\n> ---------- Forwarded message ---------\n> From: Power Co <desk@power.example>\n>\n> Please read your meter.\n",
    ),
    # Nothing of one's own; and what only the parent tells
    Sample(
        name="pure-quote", kind="nothing own", own="",
        text="On Mon, 2 Mar 2026 at 09:12, Robin Vale <robin@example.com> wrote:\n> Does Tuesday suit you?\n",
    ),
    Sample(
        name="pure-outlook-quote", kind="nothing own", own="",
        text="From: Robin Vale <robin@example.com>\nSent: Monday, March 2, 2026 9:12 AM\nTo: Mina\nSubject: Hall\n\nIs it free?\n",
    ),
    Sample(
        name="parent-without-marks", kind="parent", own="It is free, and chairs are welcome.", parents=(ASK,),
        text="It is free, and chairs are welcome.\n\n" + ASK + "\n",
    ),
    Sample(
        name="parent-says-short-things-too", kind="parent", parents=("Yes, that is fine.\n\nThanks,\nRobin",),
        own="Yes, that is fine.\n\nThanks,\nRobin",
        text="Yes, that is fine.\n\nThanks,\nRobin\n",
    ),
    Sample(
        name="sent-again-on-purpose", kind="parent", parents=(ASK,), own=ASK, text=ASK,
    ),
)  # fmt: skip
