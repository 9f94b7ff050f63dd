"""Portuguese phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        podes|podias|pode|poderia|podem|poderiam _ / diz me|diga me / me diga|avise|confirme
    """,
    Kind.ACT: """
        por favor _
    """,
    Kind.COURTESY: """
        não hesite* em / qualquer dúvida
    """,
    Kind.WAIVE: """
        não é preciso|necessário responder
    """,
    Kind.THANKS: """
        obrigad* / valeu
    """,
    Kind.CLOSING: """
        perfeito / combinado / recebido
    """,
    Kind.INFORM: """
        para conhecimento / segue em anexo
    """,
    Kind.URGENT: """
        urgente / o mais rápido possível / o quanto antes
    """,
    Kind.DEADLINE: """
        até _ / antes de _
    """,
    Kind.SOON: """
        hoje / amanhã
    """,
    Kind.GREETING: """
        ^ olá|oi / ^ bom dia / ^ boa tarde|noite / ^ prezad* / ^ car*
    """,
}
