"""Spanish phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        puedes|podrías|puede|podría|pueden|podrían _ / por favor envía*|confirma*|dime|manda*
    """,
    Kind.ACT: """
        por favor _
    """,
    Kind.COURTESY: """
        no dude* en / cualquier duda
    """,
    Kind.WAIVE: """
        no hace falta que respond* / no es necesario respond*
    """,
    Kind.THANKS: """
        gracias
    """,
    Kind.CLOSING: """
        perfecto / todo claro / recibido
    """,
    Kind.INFORM: """
        para tu|su|vuestra información / adjunto
    """,
    Kind.URGENT: """
        urgente / cuanto antes / lo antes posible
    """,
    Kind.DEADLINE: """
        antes del? _ / para el lunes|martes|miércoles|jueves|viernes
    """,
    Kind.SOON: """
        hoy / mañana
    """,
    Kind.GREETING: """
        ^ hola / ^ buenos días / ^ buenas tardes? / ^ estimad* / ^ querid*
    """,
}
