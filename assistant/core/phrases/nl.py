"""Dutch phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        kun|kan|kunt|zou|wil|wilt je|jij|u|jullie / laat me|ons ... weten
        graag ... antwoord|reactie
    """,
    Kind.ACT: """
        graag _ / gelieve
    """,
    Kind.COURTESY: """
        aarzel niet / mocht u vragen hebben
    """,
    Kind.WAIVE: """
        antwoord is niet nodig / hoeft niet te antwoorden
    """,
    Kind.THANKS: """
        bedankt / dank je|u / dankjewel
    """,
    Kind.CLOSING: """
        helemaal goed / prima / duidelijk
    """,
    Kind.INFORM: """
        ter info / ter informatie / bijgaand / in de bijlage
    """,
    Kind.URGENT: """
        dringend / zo snel mogelijk / met spoed
    """,
    Kind.DEADLINE: """
        voor|vóór maandag|dinsdag|woensdag|donderdag|vrijdag|morgen / uiterlijk _
    """,
    Kind.SOON: """
        vandaag / vanavond / morgen
    """,
    Kind.GREETING: """
        ^ hallo|hoi|hi|dag / ^ beste / ^ geachte / ^ lieve / ^ goedemorgen|goedemiddag
    """,
}
