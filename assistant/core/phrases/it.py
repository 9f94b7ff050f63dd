"""Italian phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = "lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica"
_MONTH: Final = (
    "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre"
)
_GIVE: Final = (
    "conferm*|invi*|mand*|rispond*|risposta|dirmi|dirci|dica*|indic*|comunic*|avvis*|chiam*|"
    "verific*|controll*|firm*|restitu*|chiar*|passar*|trasmett*|fornir*|fornisc*|compil*|"
    "scriv*|aiut*|valut*|inform*|inoltr*|scegli*|approv*|autorizz*|farci|farmi|far|sapere|"
    "prendere|riscontr*|rimand*|spedi*|spedir*"
)

PACK: Final[Pack] = {
    Kind.REQUEST: f"""
        attend*|aspett* i|le tuoi|tue|suoi|sue|vostri|vostre
        per la|sua|tua|vostra firma|approvazione|conferma
        vorrei|vorremmo|piacerebbe ... comprare|acquistare|prenotare|ordinare|visitare|incontrar*|
        affittare|iscriver*|intervistar*|venire|vedere
        potresti|potreste|potrebbe|potrebbero|vorresti|vorrebbe|avresti|avrebbe|saresti|sarebbe _
        mi|ci potresti|potrebbe|potreste _ / ^ mi|ci puoi|può|potete _
        puoi|può|potete ... {_GIVE}
        può|puoi|potete mandarm*|inviarm*|dirm*|confermarm*|farm*|mandarc*|inviarc*|dirc*|farc*
        per favore|cortesia|piacere ... {_GIVE} / {_GIVE} ... per favore|cortesia|piacere
        ti|la|vi|le prego|preghiamo|chiedo|chiediamo|chiederei|chiederemmo|pregherei ... di|
        gentilmente? {_GIVE}|volermi|volerci|voler / si prega di ... {_GIVE}
        chiedo|chiediamo cortesemente|gentilmente|di|una|un|conferma
        fammi|facci|fatemi|fateci|mi|ci faccia*? sapere|avere|un|sape
        mi faccia|facciate|fai ... sapere|avere / farmi|farci avere|sapere|pervenire
        dimmi|dicci|ditemi|diteci|mandami|mandatemi|mandaci|inviami|inviaci|inviatemi|chiamami|
        chiamatemi|scrivimi|avvisami|avvisatemi|confermami|confermatemi|rispondimi|aiutami|
        passami|girami|mostrami|spiegami
        mi|ci serve|servono|servirebbe|servirebbero|occorre|occorrono|serviranno|manca|mancano ...
        + tuo|tua|tuoi|tue|suo|sua|suoi|sue|vostri|vostro|vostra|vostre|i|il|la|entro|sapere|un|
        una / ho|abbiamo|avrei|avremmo bisogno di|del|della|dei|che|delle ... _
        avrei|avremmo bisogno
        mancano|manca ancora|anche? ... copia|documento|firma|la|il|sua|tua|i
        attend*|aspett* ... un|una|la|il? tua|tuo|sua|suo|tuoi|suoi|vostri|vostra|vostro|commenti|
        riscontro|risposta|conferma|notizie|istruzioni
        in attesa di ... tua|tuo|sua|suo|vostro|vostra|un|riscontro|risposta|conferma|notizie
        resto|restiamo|rimango|rimaniamo in attesa
        senza la|il|un|una? sua|tua|suo|tuo|vostra|vostro conferma|approvazione|ok|autorizzazione|
        benestare|risposta
        sarei|saremmo|sarebbe grat*|lieto|lieti|felice|felici|bello|utile|perfetto|possibile|
        ottimo|gentile ... se|di|poter|che / le|ti|vi sarei|saremmo grat*
        mi|ci piacerebbe|farebbe ... sapere|incontrar*|piacere|sentire|parlare|avere|che
        che ne|cosa ne|pensi|pensa|dici|dite|dice pensi|pensa|pensate|dici|dite|dice?
        cosa ne|vuoi|preferisci|pensi|pensa
        ti|le|vi va|andrebbe|andrebbero|interessa|interesserebbe|dispiace|dispiacerebbe|secca
        quando|quale|che|cosa ti|vi|le va|viene|farebbe|conviene|andrebbe|torna|sta
        vorrei|vorremmo|volevo|volevamo ... sapere|chieder*|domandar*|conoscere|incontrar*|
        fissare|capire|avere|un
        ho|avrei|abbiamo|avremmo una|due|qualche|alcune|un'altra|un domanda|domande|richiesta|
        dubbio|favore / mi|ci chiedevo|chiedo|chiediamo|domandavo se|quando|come
        non abbiamo|ho ... ancora ricevuto ...
        ancora|non ... ricevuto ... la|il|tua|sua|risposta|notizie|suo|tuo
        torno|ritorno a scriver*|sollecitar* / sollecito|sollecitare|sollecitiamo
        se|qualora puoi|potessi|può|potesse|potete|poteste|riesci|riesce|riuscissi|hai|avete ... _
        riesci|riuscite|riesce|riusciresti a _ / te|se|ve ne occupi|occupa|occupate
        ti|vi occupi|occupate / fare|fammi|farmi|fai un|il favore|piacere
        dammi|datemi|mi|ci dia|dai|dare un|una|la ... conferma|mano|risposta|feedback|parere|
        colpo?
        tuo|tua|suo|sua|vostro|vostra parere|opinione|conferma|approvazione|ok|riscontro|risposta|
        autorizzazione|firma ... su|per|prima|entro|in|prima
        ^ hai|avete|sei|siete|sai|sapete|vuoi|volete|vieni|venite|preferisci|pensi|riesci|potresti
        + _ ... ancora|già|un|una|il|la|che|se|tempo|voglia
    """,
    Kind.ACT: """
        non funziona|parte|arriva|si / messaggio di errore / ancora non è|ho arrivat*|ricevuto
        per favore|cortesia|piacere _ / si prega di
        vi|ti|la|le prego|preghiamo|invito|invitiamo|raccomando di|a|che _
        ricorda*|ricordati|ricordatevi di|che / non dimenticare|dimenticate|dimenticarti
        devi|dovete|deve|dovresti|dovreste|dovremmo _ / bisogna|occorre che
    """,
    Kind.QUESTION: """
        non so|sappiamo|ricordo|capisco|capiamo se|quando|dove|come|cosa|chi|quale
        mi|ci chiedo|domando|chiediamo se|quando|come|cosa / non ho|abbiamo idea di
        ^ quando|dove|come|quanto|quanti|quante|quale|quali|chi|cosa|perché è|sono|hai|avete|ha|
        posso|possiamo|devo|dobbiamo|si|c|vieni|vuoi|arriva
    """,
    Kind.COURTESY: """
        non esit*|esiti|esitate|esitare a? contattar*|chiamar*|scriver*|chieder*|a?
        per qualsiasi|ogni|eventuali|ulteriori|altro? dubbio|domanda|chiarimento|chiarimenti|
        informazione|informazioni|esigenza|cosa|necessità
        resto|restiamo|rimango|rimaniamo|sono|siamo a ... disposizione
        se hai|avete|ha|avesse|dovesse|hai|avessi ... domande|dubbi|bisogno|domanda ... scriv*|
        chiam*|contatt*|fammi|facci|non|sono?
        vi|ti|la prego|preghiamo di accoglier*|scusar*|notar*|trovare|accettare|voler ...
        + accettare? / si prega di non|notare|consultare|ignorare|visitare
        ho|abbiamo il piacere di
        sono|siamo lieto|lieta|lieti|felice|felici di ... annunciar*|comunicar*|informar*|
        invitar*|presentar*
        vorrei|desidero|volevo|vorremmo ... ringraziar*|informar*|comunicar*|annunciar*|segnalar*|
        dirti|dirvi|augurar* / ti|vi|la ringrazio|ringraziamo ... per|di|della|del|dell
        per favore non / spero che
    """,
    Kind.WAIVE: """
        non serve|occorre|c'è|è|devi|dovete|deve|preoccuparti|preoccuparsi ... rispondere|
        risposta|bisogno|necessario|fare|nulla|niente|necessaria|venire
        nessuna risposta|azione ... necessaria|richiesta|attesa / non c'è bisogno|fretta
        solo|a|soltanto per|titolo|scopo|tua|vostra ... conoscenza|informativo|informazione
        non rispondere|rispondete / niente|nulla da ... fare|aggiungere
        ho|abbiamo già? risolto|trovato / tutto risolto
    """,
    Kind.SMALLTALK: """
        come stai|state|sta|va|ve|butta|va la|vita|passi|tutto? / tutto bene|ok|a posto?
        come è|sono|andate|andata ... vacanze|weekend|viaggio|ferie / ^ davvero / ^ che si dice
    """,
    Kind.RHETORIC: """
        chi l'avrebbe|l|avrebbe|lo avrebbe|mai|detto|immaginato|pensato
        non è|trovi|trovate ... bello|meraviglioso|incredibile|fantastico|splendido
        ci crederesti|credi / ti rendi conto / che ne sai / cosa vuoi di|che più|fare
        indovina un|cosa
    """,
    Kind.SOMEONE: """
        qualcuno|qualcuna di|sa|ha|può|potrebbe|conosce|vuole? / uno|una di voi
        chi può|sa|ha|vuole|potrebbe|conosce|viene / nessuno sa|ha|di
    """,
    Kind.EVERYONE: """
        tutti|tutte|ciascuno|ciascuna|ognuno|entrambi|entrambe / voi due / tutti voi
    """,
    Kind.THANKS: """
        grazie|ringrazio|ringraziamo|grato / grazie mille|tante|infinite|ancora / mille grazie
        molte|tante grazie
    """,
    Kind.CLOSING: """
        ^ perfetto|ottimo|bene|ricevuto|capito|ok|okay|va|certo|fatto|chiaro|intesi|d'accordo|
        benissimo|eccellente|volentieri|grazie|complimenti|auguri|inteso
        va bene|benissimo|tutto|così|più / tutto|per chiaro|bene|ok|posto|risolto|me|a / a posto
        per me|noi va|ok|bene / nessun problema / non c'è problema / di niente|nulla / figurati
        buona|buon giornata|serata|fine|weekend|settimana|viaggio|lavoro|notte
        a presto|domani|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|dopo|stasera
        ci vediamo|sentiamo / trovato|risolto|sistemato / ho|abbiamo già? trovato|risolto|ricevuto
        non serve più / come non detto / d'accordo
    """,
    Kind.INFORM: """
        per conoscenza|informazione|opportuna|tua|sua|vostra|completezza informazione|conoscenza?
        a titolo informativo
        ti|vi|la|le informo|informiamo|comunico|comunichiamo|segnalo|segnaliamo|avviso|avvisiamo|
        confermo|confermiamo|invio|inviamo|mando|allego|alleghiamo|giro|inoltro|ricordo|
        ricordiamo|scrivo|riassumo / in|come allegato|allegata|allegati
        allego|alleghiamo|allegato / ecco|eccoti|eccovi
        come concordato|promesso|richiesto|d'accordo|da|convenuto|detto|anticipato
        ho|abbiamo inviato|spedito|pagato|prenotato|parlato|ricevuto|fatto|aggiunto|caricato|
        mandato / solo|volevo per|solo? dirti|dirvi|avvisar*|informar*|che?
        sarà|saranno|resta|rimane|rimarrà|resterà chius*|annullat*|rinviat*|disponibil*|sospes*
        si informa|comunica|avvisa
        aggiornamento|resoconto|verbale|stato settimanale|del|della|dei|dei|lavori
        a partire|decorrere dal|da|dalle
    """,
    Kind.PROMISE: """
        ti|vi|le|la faccio|farò|faremo|facciamo|dico|dirò|diremo|aggiorno|aggiornerò|richiamo|
        richiamerò|rispondo|risponderò|mando|manderò|invio|invierò|scrivo|scriverò|confermo|
        confermerò|avviso|avviserò|chiamo|chiamerò ... sapere|appena|domani|presto|entro|la|
        lunedì|quando|nei|poi|stasera|settimana|qualcosa|io|subito
        devo|dobbiamo ... verificare|controllare|chiedere|sentire|parlare|vedere|consultar*
        verifico|controllo|chiedo|sento|guardo|vedrò|provvedo|provvederò|provvediamo ... e|io|con|
        subito|poi|domani|ti|le / me ne occupo / ci penso io / li|lo|la chiamo io
    """,
    Kind.REMIND: """
        promemoria|sollecito|sollecitare|ricordare|ricordo / novità|notizie su|da|ci|riguardo?
        ancora non|nessuna|in / non abbiamo ancora
        mia|nostra ultima|precedente|mail|email|scorsa / settimana scorsa / la scorsa settimana
        in ritardo|sospeso / secondo|ultimo sollecito|avviso
    """,
    Kind.URGENT: """
        urgente*|urgenti|urgenza|urgentemente|immediatamente|subito
        il|al prima|più possibile|presto / quanto prima / appena possibile / con urgenza
        molto importante / asap
    """,
    Kind.DEADLINE: f"""
        entro|prima|per|non e|di|il|la|le|oltre|del|della|fine|e? {_DAY} mattina|sera|pomeriggio|
        prossimo|alle? _? / entro _ _? _? _? / prima di|del|della _ _? _?
        per|entro|prima il|fine|del|di|la? _ {_MONTH}
        per|non domani|oggi|stasera|oltre|lunedì _? _? _? / al più tardi _? _?
        scadenza ... _? _?
    """,
    Kind.SOON: """
        oggi|domani|stasera|stamattina|subito|immediatamente
        entro oggi|domani|stasera|24|mezzogiorno|le|un'ora / questo pomeriggio
        questa sera|mattina / al più presto / il prima possibile
    """,
    Kind.BILL: """
        pagabile|pagamento|importo|saldo ... entro|a|di|è / fattura n|numero|nr|relativa|per|del
        saldare|pagare|versare la|l|il|questa fattura|importo|saldo
    """,
    Kind.LEGAL: """
        questo messaggio|questa|questa e? mail|comunicazione ... riservat*|confidenzial*|contiene|
        è|sono / destinatari* ... esclusiv*|indicat*|errore
        ricevuto questo|questa ... per errore / per cancellarti|cancellare|disiscriver*
        prima di stampare / informazioni riservate|confidenziali / tutela della privacy
    """,
    Kind.BULK: """
        disiscriver*|cancellarti|cancellarsi|cancellati / annullare ... iscrizione|iscriz
        non desidera|desideri|vuoi ... ricevere / ricevi|riceve questa ... perché|mail|email
    """,
    Kind.PROMO: """
        tutti i diritti / informativa sulla privacy / visualizza nel|nel browser
        clicca|clicchi qui / gratis|gratuit*
        acquista|approfitta|scopri|ordina|iscriviti|registrati ora|subito|oggi|la|le|i|il|tutt*?
        offerta|offerte|promozione|sconto|sconti|saldi / guadagna* / prestito|casinò|dimagrire
        non perdere|perderti|lasciarti / fino al ... sconto|%
    """,
    Kind.GREETING: """
        ^ ciao|salve|buongiorno|buonasera|buondì|ehi|hey a|tutti|tutte|robin? tutti|tutte|voi|due?
        ^ gentile|gentili|gentilissim*|spett*|egregio|egregi signor*|dott*|tutti|collegh*|cliente|
        signore? / ^ car*|carissim* tutti|tutte|collegh*|amic*|amico? / ^ buon giorno|pomeriggio
        ^ buona sera
    """,
    Kind.PITCH: """
        ho|abbiamo visitato|visto|trovato|scoperto|notato ... sito|azienda|profilo|società|pagina|
        vostra|vostro
        aiutiamo|supportiamo|lavoriamo|offriamo|siamo ... aziende|imprese|clienti|agenzia|
        professionisti|un / aziende|imprese|attività come la|il vostra|vostro|sua|tua
        nuovi|più clienti|contatti|lead|appuntamenti / molti più
        aumentare|incrementare|raddoppiare|migliorare|moltiplicare ... fatturato|vendite|
        visibilità|traffico|conversioni|clienti / marketing digitale
        seo|backlink*|posizionamento|lead / prima pagina
    """,
    Kind.SALES: """
        15|quindici|10|dieci|20|venti|30|trenta minuti|min / senza impegno
        breve|rapida|veloce chiamata|call|telefonata|demo|chiacchierata
        demo|consulenza|analisi|prova gratuita|conoscitiva
        offerta|sconto esclusiva|speciale|riservata / la persona giusta|referente giusto
        nostra|nostro piattaforma|software|soluzione|agenzia|servizio ... aiuta|permette|offre|
        consente / chiamata|call conoscitiva
    """,
    Kind.BAIT: """
        conto|account|casella|accesso|carta|profilo ... sospes*|bloccat*|limitat*|disattivat*|
        chius*|cancellat*|scadut*|scade|eliminat*
        accesso|attività|login|operazione ... sospett*|anomal*|insolit*|non autorizzat*?
        evitare ... sospensione|blocco|chiusura|cancellazione
        vinto|vincitore|lotteria|eredità|beneficiari* / milion* di ... euro|dollari
        rimborso ... attesa|disponibile|di|fiscale
        pacco|spedizione ... bloccat*|giacenza|trattenut*|dogana|sospes*
        video|foto intim*|compromettent* / hackerat*|violat* / azioni|vie legali
        verrà|sarà chiuso|bloccato|sospeso|eliminato
    """,
    Kind.CREDENTIAL: """
        conferm*|verific*|aggiorn*|convalid*|inser*|forni* ... suoi|tuoi|sua|tua|suo|tuo|vostri|i|
        la|le ... dati|identità|conto|password|credenziali|account|accesso|carta|informazioni
        clicc*|cliccando|clicca|clicchi ... link|qui|sul|su|pulsante|seguente
        nome utente|user e password / dati bancari|di|della accesso|carta? / seguente link
        sua|tua password
    """,
    Kind.PAYMENT: """
        carte|carta|buoni|buono|codici regalo|itunes|steam|prepagat* / bitcoin*|cripto*
        bonifico ... urgente|oggi|immediato|estero|riservato|subito
        nuov*|cambio|cambiat*|nuove ... iban|coordinate|conto|bancarie
        spese|tasse|commissione ... sblocco|doganali|gestione|spedizione|trasferimento
        western union
    """,
    Kind.PRESSURE: """
        entro|nelle le|prossime? prossime? 24|48|72|12 ore / immediatamente|urgente|urgentemente
        ultimo avviso|sollecito / in caso contrario / altrimenti / riservat*|confidenziale|segret*
        non parlarne|dirlo|ne / definitivamente|permanentemente / solo oggi
    """,
    Kind.GENERIC: """
        ^ gentile|caro|cara|egregio|gentili|spettabile cliente|utente|signore|amico|contribuente|
        membro / servizio|assistenza clienti / amministratore di|del sistema|posta?
        supporto tecnico
    """,
    Kind.INJECTION: """
        ignor*|dimentic*|trascur* ... tutte|tutti|le|tue|precedenti|ogni ... istruzion*|regole|
        indicazioni|comandi|direttive
        sei|ora ora|sei un|una|il ... assistente|modello|ia|amministratore
        prompt|messaggio|istruzion* di sistema / nuove istruzioni per ... ia|assistente|modello|l
        assistente|ia|agente ... deve|devi|dovrebbe|dovrà
        ^ assistente|sistema ... invia*|rispondi*|inoltra*|includi*|ignora*|aggiungi*|di
        chi|chiunque ... scriv*|prepar*|redig*|rispond* ... deve|dovrà|dovrebbe
        inoltra*|invia*|manda*|copia* ... tutte|tutti|ogni|le|ultime ... mail|email|messaggi|
        password|contatti|codici / non dire|menzionare|rivelare ... nulla|utente|niente|all
        l'utente ha ... approvato|autorizzato|accettato
        includi*|elenca*|aggiungi* ... tutte|tutti|ogni ... password|codici|messaggi|mail|contatti
    """,
}
