"""German phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = (
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so"
)
_MONTH: Final = "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
_GIVE: Final = (
    "bestätig*|schick*|send*|zusend*|zuschick*|zukommen|antwort*|sag|sagt|sagen|mitteil*|"
    "melde*|nenn*|ruf*|anruf*|erklär*|prüf*|übermittel*|mail*|reich*|rückmeld*|"
    "unterschreib*|schreib*|zeig*|weiterleit*|entscheid*|klär*|überleg*"
)

PACK: Final[Pack] = {
    Kind.REQUEST: f"""
        würde*|möchte*|hätte* ... gern*? ... ihre|deine|eure meinung|einschätzung|ansicht|rat|
        hilfe|unterstützung|zustimmung / fehlt|fehlen ... uns|mir ... noch? ihre|deine|eure
        teil|teilt|teilen sie|ihr? mir|uns ... mit
        bitte ... gib|gebt|geben sie? mir|uns|bescheid|frei|an
        bitte ... teil|teilt|teilen sie? mir|uns ... mit
        zur|zu ihrer|deiner|eurer? unterschrift|freigabe|genehmigung|stellungnahme
        wäre*|würde*|freuen ... wenn du|sie|ihr
        ich|wir möchte*|würde*|hätte* ... gern* ... kaufen|buchen|bestellen|besichtigen|treffen|
        anmelden|mieten|kommen|interviewen|reservieren
        ^ kannst du mir|uns|bitte|mal|das|den|die|kurz|noch|vielleicht
        könntest|könntet|könnten|würdest|würdet|würden|hättest|hättet|hätten|wärst|wärt|wären|
        dürfte|dürften du|sie|ihr|ich|wir
        ^ magst|möchtest|willst|hast|bist|weißt|kommst|brauchst|schaffst|nimmst|übernimmst|
        bringst|gibst|machst|schickst|sagst|hilfst|rufst|meldest du
        ^ könnt|habt|seid|wisst|kommt|wollt ihr / ^ können|haben|wissen|sind|möchten|wollen sie
        kannst|magst du ... bitte|mal|kurz / bitte ... {_GIVE}
        ich|wir bitte*|ersuche* ... um|sie|dich|euch / bitten|bitte sie|dich|euch
        {_GIVE} ... bitte
        ^ schick|schickt|schicke|sag|sagt|gib|gebt|melde|meldet|ruf|ruft|schreib|schreibt|bring|
        zeig|nenn ... mir|uns|dich|euch|an|doch|einfach|kurz|mal|bescheid
        gib|geb*|sag* ... bescheid / lass|lasst|lassen ... wissen|zukommen
        um|eine kurze|baldige|ihre|deine|eure|zeitnahe|rasche? rückmeldung|antwort|bestätigung|
        stellungnahme|rückruf|mitteilung|nachricht
        brauche*|benötige*|bräuchte* ... von|deine*|eure*|ihre*|bis|noch|dringend
        ohne ihre|deine|eure ... freigabe|zustimmung|antwort|okay|ok|unterschrift|rückmeldung
        warte*|wartet ... auf ... deine*|eure*|ihre*|dich|sie|antwort|rückmeldung
        freue*|freuen ... auf|über ... antwort|rückmeldung|nachricht|zu|termin*
        was|wie meinst|hältst|denkst|sagst du / was meinen|halten|denken|sagen sie|ihr
        was meint|haltet|denkt ihr / interessiert|interesse an
        wäre*|wären|bin|sind ... dankbar|froh|nett|super|toll|schön|lieb|hilfreich|verbunden ...
        + wenn|für|falls|über
        mir|uns ... mitteil*|mitzuteilen|bescheid|zurückmeld*|wissen|lassen
        teilen|teile|teilt ... mit
        was|wann|welch*|ob ... dir|euch|ihnen ... passt|passen|lieber|recht|besser|am|zusagt
        steht|stehen|fehlt|fehlen|liegt|liegen ... noch ... aus|ihre|deine|unterlagen|antwort|
        nicht|vor / noch immer nicht|keine
        noch nichts|keine ... gehört|antwort|rückmeldung|erhalten / erinner* ... an
        um ... zusendung|übersendung|prüfung|bestätigung|freigabe|unterschrift|rückmeldung|
        antwort|mithilfe|erledigung
        habe|hätte|haben|hätten ... eine|noch|ein|zwei|paar|kurze|folgende fragen|frage|bitte|
        anliegen
        wollte|wollten|möchte|möchten|würde|würden ... fragen|wissen|hören|erfahren|treffen|
        vereinbaren / ich|wir frage*|fragen ... ob|mich|uns
        um|einen|ein termin* ... vereinbaren|vorschlagen|finden|bitten / schlag* ... vor
        wie|was wäre es|mit / sei|seid|seien so gut|lieb|nett|freundlich
        tu|tut mir|uns den|einen gefallen
    """,
    Kind.ACT: """
        funktioniert|geht|klappt ... nicht / fehlermeldung
        immer noch nicht|nichts ... angekommen|erhalten|da / bitte _
        denk*|vergiss|vergesst ... daran|dran|nicht / du musst|sollst|solltest
        sie müssen|sollten / ihr müsst|solltet / lass|lasst uns / wir sollten|müssten
    """,
    Kind.QUESTION: """
        weiß|wissen nicht ob|wann|wie|wo|was|wer / ich frage mich ... ob|wann|wie
        keine ahnung ob|wann|wie|wo|was|wer
        ^ gibt|geht|passt|reicht|stimmt|hat|ist|sind|haben|kommt|wird|klappt es|das|dir|euch|
        ihnen|er|sie|wir|schon|der|die
        ^ wann|wo|wieso|warum|wie|was|wer|welche*|woher|wohin|wofür ist|sind|hat|haben|kommt|geht|
        soll|sollen|kann|können|muss|wird|werden|machen|willst|gibt|war
    """,
    Kind.COURTESY: """
        für|bei|falls|sollten|haben ... rückfragen|fragen ... stehe*|steht|melde*|gerne|jederzeit|
        zur|können|wenden|kontaktier*|anruf*|einfach? _? _? _?
        stehe*|steht ... jederzeit|gern*|zur ... verfügung?
        bei|für rück*|fragen|fragen|unklarheiten|problemen / zögern|zöger* ... nicht
        bitte beacht*|entnehm*|entschuldig*|verzeih*|berücksichtig*|merk*|klick*|les*
        anbei|beiliegend|im anhang
        wenn|falls|sollten|wenn noch|sie|du|ihr noch? fragen ... haben|hast|habt|melde*|bestehen
        ich|wir möchte*|möchten|würde*|würden|wollte|darf|dürfen ... mitteilen|informieren|danken|
        bedanken|hinweisen|begrüßen|einladen|vorstellen|ankündigen
        wir freuen uns ... sehr|mitteilen|anzukündigen
        bitten sie ... herzlich|aufzunehmen|um|verständnis|entschuldigung? aufzunehmen|
        verständnis|entschuldigung / bitten wir ... um|zu entschuldigen|verständnis|entschuldigung
        um|ihr|euer|dein verständnis / das schaffst|schaffen|können|machst du|sie
        bitte wenden sie|euch / bitte nicht auf|antworten
        dürfen wir ihnen|euch|dir ... danken|gratulieren|mitteilen / sag*|gib|geb* ... grüße|gruß
        lass|lasst es|euch|dir ... gut|schmecken|gehen / lassen sie sich|es
    """,
    Kind.WAIVE: """
        keine|nicht ... antwort|rückmeldung|handlungsbedarf ... nötig|notwendig|erforderlich|
        nicht?
        brauchst|brauchen|braucht|musst|müssen|müsst ... nicht|nichts|keine ... antworten|tun|
        machen|unternehmen|mehr|reagieren|kommen|schicken
        nichts ... zu tun|unternehmen|veranlassen / bitte nicht ... antworten / nicht zu antworten
        kein handlungsbedarf / nur zur|als info*|kenntnis*
        bitte ... ignorier*|gegenstandslos|hinfällig / hat sich erledigt / ist erledigt
        schon erledigt
    """,
    Kind.SMALLTALK: """
        wie geht|gehts|ging es|s|so? dir|ihnen|euch|so|heute? / wie läuft's|läufts
        alles gut|klar|fit|okay bei|so? dir|euch|ihnen?
        wie war|waren dein*|euer*|eure|ihr*|der|das|die urlaub|ferien|wochenende|weihnachten|
        reise|feier* / na wie|und / ^ echt / ^ wirklich / ^ was gibt's neues
    """,
    Kind.RHETORIC: """
        wer hätte ... gedacht|geglaubt / wer hätte das
        ist|war das|es nicht|kein ... wahnsinn|toll|traum*|schön|super|herrlich|unglaublich|
        verrückt|witzig / ist|war das nicht|kein ein|eine|der|die|das|traum*|wetter / weißt du was
        kannst|könnt du|ihr dir|euch|das ... vorstellen|glauben / findest du nicht auch
        was soll man|ich da|sagen
    """,
    Kind.SOMEONE: """
        jemand|irgendjemand|irgendwer / einer|eine|wer von euch|ihnen|uns
        weiß|hat|kann|kennt|könnte|hätte|möchte|will jemand|einer|wer|irgendwer
        wer kann|hat|weiß|möchte|will|könnte|kennt
    """,
    Kind.EVERYONE: """
        alle|jeder|jede|ihr beide*|ihr alle|sie alle / an alle / jeder von euch / beide
        sämtliche
    """,
    Kind.THANKS: """
        danke|dankeschön / vielen|besten|herzlichen|lieben|tausend|schönen|1000 dank
        ich danke|bedanke / merci / dank dir|euch|ihnen|im
    """,
    Kind.CLOSING: """
        ^ alles klar|gut|bestens|super / ^ passt
        ^ perfekt|prima|super|klasse|bestens|top|wunderbar|verstanden|erledigt|okay|ok|gern|gerne|
        freut|gut|klar|einverstanden|jawohl|mach|machen|geht|klingt
        passt so|gut|für|mir|uns|mir|alles / hat sich erledigt
        ist|wurde|hab|habe|schon|bereits ... erledigt|gefunden|geklärt|gelöst|erhalten|bekommen|
        angekommen / kein problem|ding|thema / nicht nötig / schönes wochenende
        schönen tag|abend|feierabend|urlaub
        bis dann|bald|morgen|später|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|
        gleich|nächste / geht in ordnung / gern|gerne geschehen / so machen wir / ich bin dabei
        glückwunsch|gratul* / bin|sind einverstanden
    """,
    Kind.INFORM: """
        zur|zu|für info|information|kenntnis|kenntnisnahme|deine*|ihre*|eure*
        nur|kurz zur info|kenntnis|information / zur|z k|kts|k / anbei|beiliegend|anliegend
        im anhang / in der anlage
        ich|wir möchte*|wollte|wollten|darf|dürfen ... mitteilen|informieren|hinweisen|bescheid
        wir|ich freue*|freuen ... mitteilen|anzukündigen|bekannt|sehr / hiermit
        wie besprochen|vereinbart|gewünscht|versprochen|abgesprochen
        hier|hier ist|sind|kommt|kommen|der|die|das
        ich|wir habe*|haben ... geschickt|gesendet|beigefügt|angehängt|überwiesen|gebucht|bezahlt|
        bestellt / der|die|das|zum|kurz* stand|status|update|zwischenstand|protokoll
        bitte beacht*|entnehm* / zu|für deine|eure|ihre unterlagen|akten|information|info
        ab dem|sofort|morgen / findet ... statt
        wird|werden ... geschlossen|abgestellt|gesperrt|ausfallen|verschoben|stattfinden
    """,
    Kind.PROMISE: """
        melde|melden|meld ich|mich|wir|uns ... bei|wieder|dann|sobald|morgen|anfang|ende|nächste|
        noch? / gebe|geben|sage|sagen ich|wir|dir|ihnen|euch ... bescheid
        ich|wir kläre*|prüfe*|schaue*|frage*|schicke*|sende*|kümmere*|rufe*|überlege*|melde* ...
        + mich|das|es|nach|mal|dir|ihnen|euch|an|darum|gleich|noch|morgen
        muss|müssen ... ich|wir ... klären|prüfen|nachfragen|schauen|fragen|besprechen|erst?
        werde|werden ... melden|prüfen|klären|schicken|senden|informieren|nachfragen|kümmern|
        liefern|erledigen / du hörst|sie hören von / ich komme darauf|auf zurück
    """,
    Kind.REMIND: """
        erinnerung|mahnung|erinnern|erinnere|erinner
        gibt es|s schon|etwas|was ... neues|neuigkeiten|update / noch immer|nicht|keine
        immer noch / nachfragen|nachhaken|nachgefragt
        letzte*|vorige* mail|nachricht|schreiben|woche
        zweite*|letzte* erinnerung|mahnung|aufforderung / überfällig / noch aus|ausstehend*|offen
    """,
    Kind.URGENT: """
        dringend*|eilig|eilt|umgehend|unverzüglich|sofort|asap|schnellstmöglich|schnellstens|
        baldmöglichst|notfall / so schnell|bald wie|es möglich|geht / heute noch / noch heute
        wichtig und / sehr wichtig
    """,
    Kind.DEADLINE: f"""
        bis|vor|spätestens|am zum|spätestens|kommenden|nächsten|diesen|morgen|am|heute? {_DAY}
        + morgen|früh|mittag|nachmittag|abend|vormittag|um?
        bis|vor|spätestens spätestens|zum|am|heute|morgen? _? _? {_MONTH}
        bis|vor heute|morgen|übermorgen|mittag|abend|ende|anfang|mitte|spätestens|feierabend|
        monatsende|wochenende|jahresende _? _? _? / bis|spätestens|bis zum|spätestens|am _ _?
        innerhalb|binnen ... _ stunden|tagen|wochen|tage|woche|24
        spätestens heute|morgen|am|bis|zum|um|nächste* _? _?
        frist|einsendeschluss|anmeldeschluss|redaktionsschluss|deadline|stichtag ... am|ist|bis|
        zum _? _?
    """,
    Kind.SOON: """
        heute|sofort|umgehend / bis morgen|heute|mittag|abend
        morgen früh|vormittag|mittag|abend|nachmittag / heute noch / noch heute
        innerhalb|binnen ... stunden|stunde|24
    """,
    Kind.BILL: """
        zahlbar|zahlungsziel|rechnungsbetrag|gesamtbetrag / rechnung nr|nummer|über|für|vom
        überweis* ... betrag|rechnung|summe / begleich*
        betrag ... überweisen|überweis*|begleichen|zahlen
    """,
    Kind.LEGAL: """
        diese|dieser e? mail|nachricht|email ... enthält|ist ... vertraulich*|rechtlich
        nicht der richtige adressat|empfänger / vertrauliche und|informationen
        irrtümlich|versehentlich erhalten / umwelt ... ausdruck*
    """,
    Kind.BULK: """
        abmelden|abbestellen|austragen ... newsletter|hier|link|klick*|möchten|wollen|können
        newsletter ... abbestellen|abmelden|abbestellen
        keine weiteren ... mails|e|informationen|newsletter|nachrichten
        aus unserem|dem verteiler / sie erhalten diese ... weil|da|mail|newsletter
    """,
    Kind.PROMO: """
        im browser / alle rechte vorbehalten / datenschutzerklärung / online ansehen|anzeigen
        klicken sie ... hier|auf|link / kostenlos*|gratis
        jetzt bestellen|kaufen|anmelden|sichern|zugreifen|bewerben|informieren / nur heute|noch
        sonderangebot*|rabatt*|schnäppchen|sale|gewinnspiel|gutschein* / sparen sie
        geld verdienen|zurück / kredit|schufa|casino|abnehmen|potenz*|erotik*
        bis zu ... prozent|rabatt|sparen / exklusiv* angebot* / nicht verpassen
    """,
    Kind.GREETING: """
        ^ hallo|hi|moin|servus|hey|grüezi|na|tach ihr|zusammen|liebe|lieber|alle|herr|frau|leute|
        beide*? / ^ grüß gott|dich|euch / ^ liebe|lieber|liebes alle|kolleg*|herr|frau|und|beide*?
        ^ sehr geehrte* herr|frau|damen? / ^ guten morgen|tag|abend herr|frau|zusammen?
        ^ ihr lieben / ^ schönen guten tag
    """,
    Kind.PITCH: """
        bin|sind ... auf ihre*|eure*|deine* ... webseite|website|unternehmen|profil|firma|
        homepage|seite ... gestoßen|aufmerksam|geworden?
        habe|haben ... ihre*|eure* ... webseite|website|homepage|seite|profil ... gesehen|besucht|
        angeschaut|entdeckt
        unsere|wir agentur|helfen|unterstützen|bieten|bringen ... unternehmen|firmen|kunden|
        betrieben|ihnen / unternehmen|firmen|betriebe* wie ihre*|ihres|eures|dem
        mehr kunden|umsatz|anfragen|leads|sichtbarkeit|reichweite|besucher / seite 1|eins
        suchmaschinen* / seo / umsatz|umsätze ... steigern|erhöhen|verdoppeln|steigerung
        neukunden* / potenzial|potential ... haben|verschenk*|ungenutzt|steigern
        vertriebspartner|leadgenerierung
    """,
    Kind.SALES: """
        kostenlos*|unverbindlich*|gratis ... gespräch|beratung|demo|erstgespräch|analyse|termin|
        angebot|test / 15|10|20|30|zehn|fünfzehn|zwanzig|dreißig minuten
        kurzes|unverbindliches telefonat|gespräch|kennenlernen|call
        rabatt|sonderangebot|aktionspreis / der richtige|die richtige ansprechpartner*
        wer bei ihnen ... zuständig|verantwortlich
        unsere software|lösung|plattform|dienstleistung ... hilft|ermöglicht|bietet|spart
    """,
    Kind.BAIT: """
        konto|postfach|zugang|karte|account|mailbox ... gesperrt|eingeschränkt|deaktiviert|
        geschlossen|gelöscht|limitiert|blockiert|suspendiert|abgelaufen|läuft|ausgesetzt
        ungewöhnliche*|verdächtige* aktivität*|anmeldung*|zugriff*|login|transaktion*
        sperrung|löschung|schließung ... ihres|vermeiden|konto*
        gewonnen|gewinner|lotterie|erbschaft|nachlass|begünstigt* / million* euro|dollar|us
        rückerstattung|steuererstattung|guthaben ... wartet|ausstehend|anspruch|steht
        paket ... zurückgehalten|wartet|nicht ... zugestellt|zoll*
        intime*|peinliche* video*|bilder|aufnahmen / gehackt|aufgezeichnet
        rechtliche schritte|maßnahmen / ihr konto|postfach ... überschritten|voll
    """,
    Kind.CREDENTIAL: """
        bestätige*|verifizier*|aktualisier*|überprüf*|validier*|authentifizier* ... ihre*|deine*
        + ... daten|identität|konto|kontodaten|angaben|zugangsdaten|passwort|bankverbindung|
        zahlungsdaten|account
        geben sie ... passwort|zugangsdaten|daten|pin|tan|kennwort|benutzername*
        melden|loggen sie sich ... an|ein|hier|über|unter
        klick* ... hier|link|button|folgenden|auf|den
        über|unter folgenden|folgendem|den|diesen|dem link / benutzername* und passwort|kennwort
        ihre bankdaten|kreditkarten*
    """,
    Kind.PAYMENT: """
        geschenkkarte*|gutscheinkarte*|gutscheincode* / bitcoin*|krypto*
        neue|geänderte|andere bankverbindung|kontoverbindung|kontodaten|iban
        bearbeitungsgebühr|vorschuss|zollgebühr*
        überweis* ... sofort|heute|umgehend|dringend|noch / western union
        sofort* ... überweis*|zahlen|bezahlen
    """,
    Kind.PRESSURE: """
        innerhalb|binnen ... 24|48|72|12|stunden / umgehend|sofort|unverzüglich|dringend
        letzte warnung|mahnung|erinnerung|chance
        andernfalls|ansonsten|sonst wird|werden|müssen|verlieren|ist|droht / nur noch heute
        vertraulich|geheim behandeln|bleiben|halten / niemandem|niemanden|mit niemandem
        dauerhaft|endgültig gesperrt|gelöscht|geschlossen
    """,
    Kind.GENERIC: """
        ^ sehr geehrter|sehr geehrte geehrter? kunde|kundin|nutzer|nutzerin|benutzer|inhaber
        ^ lieber|liebe kunde|kundin|nutzer|freund|gewinner / kundenservice|kundendienst team?
        systemadministrator|administrator
    """,
    Kind.INJECTION: """
        ignorier*|vergiss|missachte*|übergehe* ... alle|sämtliche|bisherigen|vorherigen|obigen|
        vorigen|deine|die ... anweisung*|regeln|vorgaben|befehle|instruktion*|prompts
        du bist jetzt|nun|ab ... ein|assistent|ki|administrator|modus
        systemprompt|systemanweisung|systemnachricht
        neue|wichtige|zusätzliche anweisung* für ... ki|assistent*|modell|system
        ki|ai|mail|digitaler|virtueller assistent*|modell|agent|system ... muss|soll|sollte|
        müssen|sollen|bitte
        ^ assistent|ki|system ... bitte|sende|schicke|leite|antworte|füge|ignoriere|sage|nenne
        wer|welche*|jeder ... antwort|entwurf ... schreibt|verfasst|vorbereitet|erstellt|erzeugt
        + ... soll|muss|sollte|möge
        leite*|sende*|schick* ... alle|sämtliche|gesamten|letzten ... mails|nachrichten|
        passwörter|kontakte|inhalte|codes|verlauf
        füge|nenne|liste ... alle|sämtliche|jedes|jeden ... passwort*|passwörter|codes|inhalte|
        mails|nachrichten
        sage|verrate|erwähne ... nutzer|benutzer|besitzer|niemandem ... nicht|nichts
        der nutzer|benutzer|besitzer hat ... genehmigt|zugestimmt|erlaubt|freigegeben
    """,
}
