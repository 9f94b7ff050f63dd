"""German phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        könn*|würde* du|sie|ihr / kannst du / bitte ... bestätig*|schick*|send*|antwort*|sag*
        gib|geben mir|uns|sie bescheid / lass mich wissen
    """,
    Kind.ACT: """
        bitte _
    """,
    Kind.COURTESY: """
        für rückfragen / bitte beachten / anbei
    """,
    Kind.WAIVE: """
        keine antwort nötig|notwendig|erforderlich
    """,
    Kind.THANKS: """
        danke / vielen dank / besten dank
    """,
    Kind.CLOSING: """
        alles klar / passt / perfekt
    """,
    Kind.INFORM: """
        zur info / zur information / zur kenntnis
    """,
    Kind.URGENT: """
        dringend / so bald wie möglich / umgehend
    """,
    Kind.DEADLINE: """
        bis|vor montag|dienstag|mittwoch|donnerstag|freitag|morgen|heute / bis zum _
    """,
    Kind.SOON: """
        heute / bis morgen
    """,
    Kind.GREETING: """
        ^ hallo|hi|moin|servus / ^ liebe|lieber / ^ sehr geehrte*|verehrte* / ^ guten morgen|tag
    """,
}
