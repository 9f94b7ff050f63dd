"""Italian phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        puoi|potresti|può|potrebbe|potete|potreste _ / fammi|mi faccia|fateci sapere
    """,
    Kind.ACT: """
        per favore _ / ti|la prego di
    """,
    Kind.COURTESY: """
        non esit* a / per qualsiasi dubbio
    """,
    Kind.WAIVE: """
        non serve|occorre rispondere
    """,
    Kind.THANKS: """
        grazie
    """,
    Kind.CLOSING: """
        perfetto / tutto chiaro / ricevuto
    """,
    Kind.INFORM: """
        per conoscenza / in allegato
    """,
    Kind.URGENT: """
        urgente / il prima possibile / al più presto
    """,
    Kind.DEADLINE: """
        entro _ / prima di _
    """,
    Kind.SOON: """
        oggi / domani
    """,
    Kind.GREETING: """
        ^ ciao|salve|buongiorno|buonasera / ^ gentil* / ^ car*
    """,
}
