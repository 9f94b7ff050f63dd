"""French phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        pouvez|pourriez vous / peux|pourrais tu / merci de _ / veuillez _ / dis moi / dites moi
    """,
    Kind.COURTESY: """
        n'hésite* pas / veuillez trouver
    """,
    Kind.WAIVE: """
        pas besoin de répondre
    """,
    Kind.THANKS: """
        merci
    """,
    Kind.CLOSING: """
        parfait / c'est bon / c'est noté
    """,
    Kind.INFORM: """
        pour information|info / ci joint
    """,
    Kind.URGENT: """
        urgent / dès que possible / au plus vite
    """,
    Kind.DEADLINE: """
        avant|d'ici lundi|mardi|mercredi|jeudi|vendredi|demain|le|la
    """,
    Kind.SOON: """
        aujourd'hui / demain / ce soir
    """,
    Kind.GREETING: """
        ^ bonjour|bonsoir|salut|coucou / ^ cher|chère
    """,
}
