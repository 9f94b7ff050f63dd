"""Phrases that say something was done: attached, forwarded, sent, paid, booked, deleted.

The model does nothing but write, so such a sentence in its draft is untrue unless the owner does it
first, and one that a mail talked it into is worse. Looked for in seven languages, whatever the
language of the thread. A phrase that denies or only plans is no claim. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_EN_DONE: Final = (
    r"attached|enclosed|included|forwarded|sent|e-?mailed|mailed|booked|reserved|paid|transferred|"
    r"wired|called|phoned|rung|ordered|cancell?ed|scheduled|rescheduled|updated|changed|deleted|"
    r"removed|shared|uploaded|added|signed|submitted|cc['’]?e?d|bcc['’]?e?d|copied|notified|"
    r"informed|approved|granted|invited|posted|published|created|arranged|refunded|deposited|"
    r"archived|unsubscribed|subscribed|filed|contacted|asked|told"
)
_EN_ADVERBS: Final = (
    r"just|already|now|also|duly|since|both|immediately|hereby|personally|gladly|happily|promptly"
)
_FR_BETWEEN: Final = r"(?:\w{2,20}ment|déjà|bien|aussi|vous|te|leur|lui)"
_DE_DONE: Final = (
    r"angehängt|beigefügt|weitergeleitet|geschickt|zugeschickt|gesendet|zugesandt|versandt|"
    r"verschickt|überwiesen|bezahlt|gezahlt|gebucht|reserviert|bestellt|storniert|abgesagt|"
    r"angerufen|eingetragen|gelöscht|entfernt|hochgeladen|freigegeben|unterschrieben|"
    r"unterzeichnet|geändert|aktualisiert|geteilt|eingeladen|informiert|benachrichtigt|"
    r"hinzugefügt|erstellt|angelegt|veranlasst|beauftragt|vereinbart|genehmigt|gekündigt"
)
_FR_DONE: Final = (
    r"joint|envoyé|renvoyé|transféré|transmis|fait suivre|payé|réglé|viré|réservé|commandé|annulé|"
    r"appelé|téléphoné|ajouté|supprimé|effacé|partagé|signé|modifié|mis à jour|téléversé|"
    r"prévenu|informé|invité|créé|validé|approuvé|versé|déposé|résilié|contacté"
)
_ES_DONE: Final = (
    r"adjuntado|enviado|reenviado|mandado|remitido|pagado|abonado|transferido|reservado|pedido|"
    r"encargado|cancelado|anulado|llamado|añadido|agregado|borrado|eliminado|compartido|firmado|"
    r"cambiado|actualizado|subido|avisado|informado|invitado|creado|aprobado|ingresado|contactado"
)
_IT_DONE: Final = (
    r"allegato|inviato|inoltrato|girato|mandato|spedito|pagato|saldato|bonificato|trasferito|"
    r"prenotato|riservato|ordinato|annullato|disdetto|chiamato|telefonato|aggiunto|cancellato|"
    r"eliminato|condiviso|firmato|modificato|aggiornato|caricato|avvisato|informato|invitato|"
    r"creato|approvato|versato|contattato"
)
_PT_DONE: Final = (
    r"anexei|enviei|reenviei|encaminhei|mandei|paguei|transferi|depositei|reservei|encomendei|"
    r"cancelei|liguei|telefonei|adicionei|acrescentei|apaguei|eliminei|removi|partilhei|"
    r"compartilhei|assinei|alterei|atualizei|carreguei|avisei|informei|convidei|criei|aprovei|"
    r"agendei|marquei|contactei|contatei"
)
_NL_DONE: Final = (
    r"bijgevoegd|toegevoegd|doorgestuurd|gestuurd|toegestuurd|opgestuurd|verstuurd|verzonden|"
    r"betaald|overgemaakt|geboekt|gereserveerd|besteld|geannuleerd|afgezegd|gebeld|verwijderd|"
    r"gewist|gedeeld|ondertekend|getekend|gewijzigd|aangepast|bijgewerkt|geüpload|geïnformeerd|"
    r"uitgenodigd|aangemaakt|goedgekeurd|gestort|opgezegd|gemaild"
)
_NOT_DE: Final = r"(?![^.!?\n]{0,120}\b(?:nicht|nie|kein\w{0,3}|nichts)\b)"
_NOT_NL: Final = r"(?![^.!?\n]{0,120}\b(?:niet|nooit|geen|niets)\b)"

_CLAIMS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # English
        rf"\b(?:i|we)(?:['’]ve| have|['’]d| had)?(?: (?:{_EN_ADVERBS})){{0,3}} (?:{_EN_DONE})\b",
        rf"\b(?:has|have) (?:now |just |already )?been (?:{_EN_DONE})\b",
        r"\b(?:please )?(?:find|see|note) (?:the |my |our |it )?(?:\w+ )?(?:attached|enclosed)\b",
        r"\b(?:is|are|['’]s|i have) (?:now )?(?:attached|enclosed)\b",
        r"\b(?:attached|enclosed) (?:is|are|you|please|to this|herewith|below)\b",
        r"\bi(?:['’]m| am) (?:attaching|enclosing|forwarding|sending you the)\b",
        # German
        rf"\b(?:ich|wir) habe?n?\b{_NOT_DE}[^.!?\n]{{0,120}}?\b(?:{_DE_DONE})\b",
        rf"\bhabe?n? (?:ich|wir)\b{_NOT_DE}[^.!?\n]{{0,120}}?\b(?:{_DE_DONE})\b",
        rf"\b(?:ist|sind|wurden?)\b{_NOT_DE}[^.!?\n]{{0,60}}?\b(?:{_DE_DONE})\b",
        r"\banbei\b|\bim anhang (?:findest|finden|sende|schicke|erhalten|erhältst)\b",
        # French
        rf"(?:\bj['’]ai|\bnous avons|\bon a)(?: {_FR_BETWEEN})* (?:{_FR_DONE})(?:e|s|es)?\b",
        r"\bje l['’]ai (?:\w+ ){0,2}(?:envoyé|transféré|transmis|payé|joint)",
        r"\bci-?joint|\ben pièces? jointes?\b|\bje (?:vous |te )?joins\b",
        # Spanish
        rf"\b(?:he|hemos) (?:ya |también )?(?:{_ES_DONE})\b",
        r"\b(?:envié|adjunté|reenvié|mandé|pagué|transferí|reservé|cancelé|llamé|borré|firmé)\b",
        r"\b(?:te|le|les|os) adjunt(?:o|amos)\b",
        r"\badjunto (?:encontrará|te|le|env[ií]o|el|la|los|las)\b",
        r"\bse adjuntan?\b|\ben (?:el )?(?:archivo )?adjunto (?:encontrará|tiene|está)",
        # Italian
        rf"\b(?:ho|abbiamo) (?:già |appena |anche )?(?:{_IT_DONE})\b",
        r"\b(?:ti|le|vi|si) alleg(?:o|hiamo|a|ano)\b|\bin allegato (?:trov|ti|le|vi|invi)",
        # Portuguese
        rf"\b(?:{_PT_DONE})\b",
        r"\bem anexo\b|\bsegu(?:e|em) (?:em )?(?:anexo|anexad)|\banexo (?:o|a|os|as|envio)\b",
        # Dutch
        rf"\b(?:ik|we|wij) (?:heb|hebben)\b{_NOT_NL}[^.!?\n]{{0,120}}?\b(?:{_NL_DONE})\b",
        rf"\b(?:heb ik|hebben (?:we|wij))\b{_NOT_NL}[^.!?\n]{{0,120}}?\b(?:{_NL_DONE})\b",
        r"\b(?:is|zijn|werd|werden)\b(?![^.!?\n]{0,60}\bniet\b)[^.!?\n]{0,40}?\bbijgevoegd\b",
        r"\bin de bijlage (?:vind|tref|stuur)|\bbijgevoegd (?:vind|tref|is)|\bbijgaand\b",
    )
)


def claim_in(text: str) -> str | None:
    """The first phrase of *text* that claims something was done, None when there is none."""
    folded = " ".join(unicodedata.normalize("NFC", text).casefold().split(" "))
    for pattern in _CLAIMS:
        found = pattern.search(folded)
        if found is not None:
            return found[0]
    return None
