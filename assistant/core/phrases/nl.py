"""Dutch phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = (
    "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|maandagochtend|"
    "dinsdagochtend|woensdagochtend|donderdagochtend|vrijdagochtend|maandagmiddag|"
    "vrijdagmiddag|donderdagmiddag"
)
_MONTH: Final = (
    "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december"
)
_GIVE: Final = (
    "bevestig*|stuur|sturen|toesturen|opsturen|antwoord*|zeg|zeggen|laat|laten|meld*|"
    "doorgeef|doorgeven|geef|geven|bel|bellen|terugbellen|controleer*|controleren|check*|"
    "onderteken*|tekenen|retourneer*|verduidelijk*|mail*|vul|invullen|schrijf|schrijven|help|"
    "helpen|beoordeel*|informeer|informeren|reageer|reageren|reactie|kies|kiezen|vermeld*|"
    "aangeven|nakijken|bekijken|kijken|regelen|vernemen|horen|ontvangen|weten|doorsturen|"
    "aanlever*|akkoord"
)

PACK: Final[Pack] = {
    Kind.REQUEST: f"""
        mis|missen|ontbreekt|ontbreken ... uw|je|jouw|jullie
        ter ondertekening|goedkeuring|akkoord
        ik|we|wij zou|wil|willen|zouden ... kopen|boeken|bestellen|bezichtigen|afspreken|huren|
        inschrijven|interviewen|reserveren|langskomen|komen / van je|jou|u|jullie nodig
        zou|zoudt|zouden je|jij|u|jullie ... kunnen|willen|mij|me|ons|even|het|de
        ^ wil|wilt|kun|kunt|kan|kunnen je|jij|u|jullie
        ^ heb|ben|weet|kom|heeft|bent|hebben|weten|komen|komt|denk|vind|zie|doe|neem|regel|breng|
        lukt|past|schikt je|jij|u|jullie|het|dat / graag ... {_GIVE} / op prijs stellen|als
        {_GIVE} ... graag|alsjeblieft|alstublieft|a.u.b|aub|svp / gelieve ... {_GIVE}
        verzoek|verzoeken|vraag|vragen u|je|jullie ... om|te|vriendelijk ... {_GIVE}|te
        laat|laten ... weten|horen / geef|geven ... door|aan|even|antwoord|reactie|seintje|terug
        stuur|stuurt|sturen mij|me|ons|het|ze|deze|even|maar|uiterlijk
        ^ zeg|bel|mail|app|vertel|geef|stuur|laat|meld|check|kijk me|mij|ons|even|maar|het|dat|
        uiterlijk|je / zeg|bel|mail maar|me|mij|even
        ik|we|wij moet|moeten|wil|willen|zou ... weten of|wat|wanneer|welke|hoe
        heb|hebben ... nodig / nodig ... van je|jou|u|jullie|uw
        wacht*|wachten op|nog ... uw|je|jouw|jullie|antwoord|reactie|akkoord / in afwachting van
        zien|zie ... tegemoet
        zonder uw|je|jouw|jullie akkoord|toestemming|goedkeuring|reactie|antwoord|handtekening
        hoor|horen|verneem|vernemen ... graag|het|van|of|wat|welke
        graag hoor|horen|verneem|vernemen|ontvang|ontvangen|zie|zien|zou|willen|wil ...
        zou|zouden ... fijn|mooi|leuk|prettig|handig|super|dankbaar|geweldig|welkom ... als|zijn
        wat|wanneer|welke|hoe ... jou|je|u|jullie ... uitkomt|past|schikt|voorkeur|goed|het|beste|
        beter|vindt|vind|denkt / wat vind|denk|vindt|denkt|vinden|denken je|jij|u|jullie|jij
        heb|hebben|had|hadden ... nog? een|twee|paar|enkele|nog ... vraag|vragen|vraagje|verzoek
        wil|wilde|wilden|zou ... graag? ... vragen|weten|horen|afspreken|spreken
        vraag|vroeg me|mij ... af|of? / benieuwd naar|of|wat|hoe
        nog niets|geen|steeds ... gehoord|ontvangen|reactie|antwoord|vernomen|binnen / nog steeds
        niets van ... gehoord|vernomen / herinner*|herinneren ... u|je|jullie|eraan|aan
        als|indien je|u|jullie ... kunt|kan|wilt|wil|zou|kunnen|tijd|lukt ... _
        hopelijk kun|kunt|lukt / doe me|mij|ons een / zie|zien ... reactie|antwoord ... tegemoet
        kan ik|iemand ... rekenen|krijgen|ontvangen|bellen|op
        jouw|je|uw|jullie mening|akkoord|reactie|antwoord|goedkeuring|toestemming|feedback|keuze|
        handtekening|bevestiging ... over|op|voor|op|vóór|graag|nodig|is
    """,
    Kind.ACT: """
        werkt|doet|doen ... niet / foutmelding / nog steeds niet ... aangekomen|ontvangen|binnen
        gelieve _ / graag _ / vergeet|denk niet|aan|eraan|om|er / je|jullie|u moet|moeten|dient _
        wil|wilt|willen u|je|jullie / verzoek|verzoeken u|je|jullie / alsjeblieft|alstublieft|aub
        laten we|wij / we zouden|moeten
    """,
    Kind.QUESTION: """
        weet|weten niet of|wanneer|waar|hoe|wat|wie|welke / vraag|vragen me|mij|ons af|of
        geen idee of|wanneer|waar|hoe|wat|wie
        ^ wanneer|waar|waarom|hoe|wat|wie|welke|hoeveel is|zijn|heb|heeft|hebben|kan|kun|kunnen|
        moet|moeten|gaat|ga|wil|komt|kom|wordt|zullen|zal
        ^ is|zijn|gaat|kan|mag|zal|zullen|moeten|moet|hebben|klopt|past|lukt het|dat|er|de|we|ik|
        wij|jullie|deze|dit
    """,
    Kind.COURTESY: """
        aarzel*|schroom niet|dan ... contact|bellen|mailen|om|te?
        mocht*|als|indien|heeft|hebt ... u|je|jullie ... vragen|vraag|opmerkingen ... hebben|
        heeft|hebt|dan|hoor|laat|neem|bel|mail? ... graag|weten|contact?
        bij vragen|onduidelijkheden / voor vragen|meer|verdere informatie|kunt|kun|kan|ben?
        dan horen|hoor wij|we|ik ... graag
        gelieve|graag ... rekening|opmerken|noteren|negeren|niet
        met plezier|genoegen|trots kondig*|meld*|delen|deel|laten
        graag ... aandacht|welkom|kennismaken|voorstellen|delen|bedanken|attent|informeren
        wil|willen|wilde je|u|jullie ... bedanken|danken|informeren|melden|laten
        heet ... welkom|welkom? / dank|bedankt voor|dat ... / verzoeken u|je ... over|begrip|geen
        sta|staan|blijf ... tot|uw|voor ... beschikking|klaar / hierbij|bijgaand ontvang* _?
        laat ... weten ... als|of|mocht|indien je|u|jullie ... vragen|nodig|nog
        wij|we verzoeken u het|de|dit bedrag / neem gerust|dan contact
        we hopen|ik|wij hoop dat|je|u
    """,
    Kind.WAIVE: """
        geen|niet ... antwoord|reactie|actie ... nodig|vereist|noodzakelijk|verwacht
        hoef|hoeft|hoeven ... niet|niets|geen ... antwoorden|reageren|doen|te|komen|meer
        niet nodig ... om|te / niet te antwoorden|reageren
        is niet|al nodig|opgelost|geregeld|gevonden
        alleen|puur|slechts|enkel ter|voor ... info*|kennis* / niets te doen
        laat|laat maar zitten / niet ... beantwoord* / kun|kunt|mag ... negeren|als
        verder geen ... actie
    """,
    Kind.SMALLTALK: """
        hoe gaat|is het|ie|'t ermee|met? je|jou|jullie|u|daar?
        alles goed|oké|ok|kits bij|met? je|jullie|jou?
        hoe was|waren je|jullie|uw|de|het vakantie|weekend|reis|feestdagen / ^ echt / ^ nou en
    """,
    Kind.RHETORIC: """
        wie had ... gedacht|verwacht|geloofd / wie had dat / wie zou ... gedacht
        is|was het|dat niet|geen geweldig|prachtig|mooi|fantastisch|ongelooflijk|heerlijk|
        bijzonder|een / kun|kan je je|het|dat voorstellen|geloven / ^ weet je wat / vind je niet
        wat wil je nog|meer
    """,
    Kind.SOMEONE: """
        iemand|een|één van ... jullie|u|ons? / iemand|wie ... weet|kan|heeft|wil|zou|kent
        weet|heeft|kan|kent|wil iemand|een|één / wie kan|weet|wil|heeft|zou
    """,
    Kind.EVERYONE: """
        iedereen|allemaal|allen|ieder|elk|jullie allemaal|beiden|van|alle|twee|van|jullie?
        allebei|beiden / aan allen
    """,
    Kind.THANKS: """
        bedankt|dank|dankjewel|dankuwel|merci / dank je|u|jullie wel?
        hartelijk|heel|nogmaals|alvast|veel dank|erg|bedankt / dank voor
    """,
    Kind.CLOSING: """
        ^ prima|perfect|helemaal|top|duidelijk|akkoord|oké|ok|goed|fijn|mooi|begrepen|ontvangen|
        klopt|uitstekend|super|geregeld|gedaan|doen|leuk|graag|gefeliciteerd|komt|staat
        helemaal|komt|is goed|duidelijk|prima|in|voor|geregeld|gelukt|opgelost|akkoord
        geen probleem|dank|punt / graag gedaan
        fijn|fijne|goed|prettig|prettige|mooi weekend|dag|avond|week|vakantie|reis
        tot dan|morgen|zo|straks|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|ziens|
        snel|gauw|volgende|later
        is|heb|al gevonden|opgelost|geregeld|gelukt|binnen|ontvangen|al|ontvangen / in orde
        laat maar / niet meer nodig / verder geen / ik ben het eens|ermee
    """,
    Kind.INFORM: """
        ter info|informatie|kennisgeving|kennisname|herinnering
        voor je|jouw|jullie|uw|de informatie|administratie|archief|volledigheid
        bijgaand|hierbij|bijgevoegd|bijlage / in de bijlage / zie bijlage|bijgevoegd
        even|kort|alleen|hiermee laten|om|laat|ter ... weten|info?
        wij|ik|we deel|delen|meld*|laat|laten|informeer*|bericht*|stuur|bevestig* ... mee|weten|u|
        je|jullie|hierbij / zoals afgesproken|beloofd|besproken|gevraagd|gezegd
        hier is|zijn|de|het|een
        heb|hebben ... gestuurd|verzonden|betaald|geboekt|ontvangen|gedaan|toegevoegd|gesproken|
        gemaild / met plezier|genoegen
        is|zijn|gaat|wordt|worden|blijft ... gesloten|afgesloten|geannuleerd|verplaatst|uit|
        beschikbaar|dicht / weekbericht|update|stand|verslag|notulen van|over|zaken?
        vanaf|met ingang van|maandag|morgen|1|volgende|heden
    """,
    Kind.PROMISE: """
        kom|komen ... op|erop ... terug
        laat|laten ... het|je|u|jullie ... weten ... zodra|morgen|snel|volgende|nog|of?
        moet|moeten|ga|gaan|zal|zullen ... navragen|uitzoeken|vragen|kijken|nakijken|checken|
        overleggen|sturen|bellen|regelen|doen|kijken|informeren|mailen
        zoek|vraag|kijk|bel|stuur|regel|check|mail ik|het|dat|hem|ze|je|u ... uit|na|even|morgen|
        zo|op|door|je
        ik|we|wij bel|stuur|regel|mail|check|vraag|kijk|zoek|neem|meld|zal|ga ... je|u|het|dat|ze|
        hem|even|na|me|contact / je hoort|u hoort van|nog|zo / hoor|hoort je|u ... van|nog
    """,
    Kind.REMIND: """
        herinnering|herinneren|herinner|aanmaning|betalingsherinnering
        nog nieuws|niets|geen|steeds|niet / al nieuws|iets|meer
        mijn|onze|vorige|laatste mail|bericht|e|vorige / vorige week
        te laat|achterstallig|openstaand* / tweede|laatste herinnering|verzoek
    """,
    Kind.URGENT: """
        dringend*|urgent*|spoed|spoedig|onmiddellijk|direct|meteen / zo snel|spoedig mogelijk
        met spoed / per omgaande|direct / heel|erg|zeer belangrijk / asap
    """,
    Kind.DEADLINE: f"""
        voor|vóór|uiterlijk|tot|op|aanstaande|komende aanstaande|komende|volgende|a.s? {_DAY}
        + ochtend|middag|avond|om? _? / uiterlijk _ _? _?
        voor|vóór|tot het|de|eind|einde|morgen|vandaag|vanavond|morgenavond|morgenochtend|volgende
        + _? _? _? / voor|vóór|uiterlijk|tot op|de? _ {_MONTH}
        binnen _ dagen|uur|weken|werkdagen|week|24 / deadline|sluitingsdatum ... _? _? _?
    """,
    Kind.SOON: """
        vandaag|vanavond|vanmiddag|morgen|morgenochtend|onmiddellijk|direct|meteen
        binnen een|24|48|het uur|uur? / nog vandaag / per direct
    """,
    Kind.BILL: """
        bedrag|betaling|betalingstermijn ... binnen|over|voldoen|is|van
        factuur nr|nummer|voor|van|_ / betalen|voldoen|overmaken|maken ... bedrag|factuur?
        over te maken / te voldoen
    """,
    Kind.LEGAL: """
        dit|deze bericht|e|mail|email ... vertrouwelijk*|bestemd|bevat|is
        niet de geadresseerde|beoogde|bedoelde / uitsluitend bestemd|voor ... geadresseerde?
        ten onrechte ontvangen / afmelden|uitschrijven voor|van|via|hier|nieuwsbrief?
        denk aan het milieu / disclaimer
    """,
    Kind.BULK: """
        afmelden|uitschrijven / geen ... mails|nieuwsbrief|berichten|e meer|ontvangen
        u|je ontvangt deze|dit
    """,
    Kind.PROMO: """
        alle rechten voorbehouden / privacybeleid|privacyverklaring
        bekijk|lees ... online|browser / klik* hier / gratis
        bestel|koop|profiteer|ontdek|meld ... nu|direct|vandaag
        aanbieding*|korting*|actie|uitverkoop|sale / geld verdienen
        lening|krediet|casino|afvallen / mis het|deze|dit niet? / tot wel ... korting
    """,
    Kind.GREETING: """
        ^ hallo|hoi|hi|dag|hey|hé|goedendag|goedemorgen|goedemiddag|goedenavond|goeiemorgen|
        goeiedag allemaal|allen|iedereen|beste|mensen|collega*|meneer|mevrouw?
        ^ beste|geachte|lieve|waarde allemaal|allen|meneer|mevrouw|heer|heren|collega*|iedereen|
        mensen|klant|relatie? / ^ goede morgen|middag|avond
    """,
    Kind.PITCH: """
        kwam|zag|bezocht|bekeek|vond ... uw|je|jullie ... website|site|bedrijf|profiel|pagina|
        webshop
        helpen|bieden|werken|zijn|ondersteunen ... bedrijven|ondernemers|klanten|organisaties|
        bureau|een
        bedrijven|ondernemers|organisaties zoals het|de|die|dat uwe|uw|jullie|jouwe|van?
        meer|nieuwe klanten|omzet|leads|afspraken|bezoekers
        omzet|verkoop|conversie|vindbaarheid|bezoekers ... verhogen|verdubbelen|vergroten|
        verbeteren / seo|leadgeneratie|backlinks|zoekmachine* / eerste pagina / kansen liggen
    """,
    Kind.SALES: """
        15|10|20|30|vijftien|tien|twintig minuten|min / kwartiertje / vrijblijvend*
        kort|korte|kennismakings* gesprek|gesprekje|kennismaking|belafspraak|demo
        gratis|kosteloos* ... demo|advies|scan|analyse|consult|proef*
        aanbieding|korting exclusieve|speciale|exclusief / juiste persoon|contactpersoon
        onze|ons platform|software|oplossing|bureau|dienst ... helpt|biedt|kan|zorgt
    """,
    Kind.BAIT: """
        rekening|account|postvak|toegang|pas|bankpas|mailbox ... geblokkeerd|opgeschort|beperkt|
        gedeactiveerd|gesloten|verwijderd|verloopt|verlopen|afgesloten|geschorst
        verdachte|ongebruikelijke|ongeautoriseerde inlog*|activiteit*|transactie*|login|toegang
        voorkomen|vermijden ... blokkering|afsluiting|schorsing|verwijdering?
        gewonnen|winnaar|loterij|erfenis|begunstigde / miljoen* euro|dollar
        teruggave|terugbetaling ... openstaand|wacht|recht|van|belasting
        pakket|zending ... vastgehouden|wacht|douane|niet|tegengehouden
        intieme|gênante video*|foto's|beelden / gehackt|opgenomen / juridische stappen|maatregelen
        definitieve afsluiting|blokkering
    """,
    Kind.CREDENTIAL: """
        bevestig*|verifieer*|verifiëren|controleer|update|valideer|vul|voer ... uw|je|jouw ...
        + gegevens|identiteit|account|rekening|wachtwoord|inloggegevens|pincode|betaalgegevens|
        bankgegevens / klik* ... hier|link|knop|op|onderstaande
        via onderstaande|deze|de|bovenstaande link|knop / gebruikersnaam en wachtwoord
        log* ... in ... via|op|hier|om / uw wachtwoord|pincode|bankgegevens|inloggegevens
    """,
    Kind.PAYMENT: """
        cadeaukaart*|cadeaubon*|giftcard*|tegoedbon* / bitcoin*|crypto*
        overboeking|betaling|overschrijving ... spoed|vandaag|direct|onmiddellijk|vertrouwelijk
        nieuw*|gewijzigd*|ander* rekeningnummer|iban|bankgegevens|rekening
        administratiekosten|douanekosten|inklaringskosten|verwerkingskosten / western union
        betaal ... vandaag|direct|nu|onmiddellijk|meteen
    """,
    Kind.PRESSURE: """
        binnen ... 24|48|72|12 uur / onmiddellijk|direct|dringend
        laatste waarschuwing|herinnering|kans / anders wordt|zal|verliest|is|moeten / zo niet
        vertrouwelijk|geheim behandelen|houden? / niemand ... vertellen|iets
        definitief|permanent geblokkeerd|verwijderd|afgesloten|gesloten / alleen vandaag
        om ... te voorkomen
    """,
    Kind.GENERIC: """
        ^ geachte|beste|lieve klant|gebruiker|relatie|heer|vriend|rekeninghouder|lid
        klantenservice|klantendienst / systeembeheerder / technische dienst|ondersteuning
    """,
    Kind.INJECTION: """
        negeer*|vergeet ... alle|de|je|jouw|uw|voorgaande|eerdere ... instructies|regels|
        opdrachten|aanwijzingen / je|u bent nu|vanaf ... een|de|assistent|model|ai
        systeemprompt|systeembericht|systeeminstructie
        nieuwe instructies voor ... ai|assistent|model|de
        assistent|ai|agent ... moet|dient|zal ...
        ^ assistent|systeem ... stuur|antwoord|beantwoord|voeg|negeer|zeg
        wie|iedereen|degene ... schrijft|opstelt|antwoord|antwoordt|voorbereidt ... moet|dient
        stuur|mail|kopieer ... alle|elke|het|de|laatste ... mails|berichten|wachtwoorden|
        contacten|codes ... door? / zeg|vermeld|vertel ... niets|gebruiker|niet|niemand
        de gebruiker heeft ... goedgekeurd|toegestemd|akkoord
        voeg|vermeld|noem ... alle|elk|elke ... wachtwoorden|codes|berichten|mails|contacten
    """,
}
