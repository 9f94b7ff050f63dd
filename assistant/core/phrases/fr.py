"""French phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
_MONTH: Final = (
    "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
)
_GIVE: Final = (
    "confirmer|envoyer|répondre|dire|indiquer|transmettre|donner|rappeler|appeler|préciser|"
    "communiquer|vérifier|relire|valider|signer|retourner|renvoyer|fournir|faire|adresser|revenir|"
    "tenir|informer|contacter|apporter|passer|regarder|expliquer|choisir|proposer|transférer|régler"
)

PACK: Final[Pack] = {
    Kind.REQUEST: f"""
        pour signature|validation|accord|approbation|avis
        je|nous souhaite*|souhaitons|voudrais|voudrions|aimerais|aimerions ... acheter|réserver|
        commander|visiter|rencontrer|inscrire|louer|venir|interviewer|prendre
        pouvez|pourriez|pourrez|voulez|voudriez|auriez|avez|êtes|seriez|savez|souhaitez|pensez|
        comptez|préférez vous
        peux|pourrais|veux|voudrais|aurais|as|es|serais|sais|penses|préfères|viens|fais|prends|
        crois tu
        tu peux|pourrais me|nous|regarder|envoyer|vérifier|t'en|dire|répondre|appeler|aider|
        apporter / est ce que ... tu|vous|on|je|nous|quelqu
        merci de|d bien? vouloir? me|nous|bien? {_GIVE} / merci de|d bien vouloir? _
        merci par avance|d'avance de|pour votre|ta|vos|vos
        veuillez bien? me|nous|le|la|les? {_GIVE} / prière de|d bien? me|nous? {_GIVE}
        s'il te|vous plaît / svp / stp
        je|nous vous|te|serais|serions|saurais|prie|prions ... de|d ... {_GIVE}
        dis|dites|envoie|envoyez|donne|donnez|rappelle|rappelez|appelle|appelez|confirme|
        confirmez|réponds|répondez|tiens|tenez|fais|faites|indique|indiquez|transmets|transmettez|
        laisse|laissez|montre|montrez|passe|passez|précisez|renvoie|renvoyez moi|nous|le|la|les
        j'ai|j'aurais|avons|aurions besoin ... vos|votre|ton|ta|tes|savoir|accord|réponse|retour|
        avis / il me|nous faut|faudrait|manque* ... ton|ta|tes|votre|vos|le|la|les|encore?
        attends|attendons|attente ... votre|ton|ta|vos|tes|retour|réponse|accord
        dans l'attente de|d / en attente de ... votre|ton|réponse|retour
        sans votre|ton|réponse accord|aval|réponse|retour|nouvelles|de
        serais|serions ... heureu*|ravi*|reconnaissant*|content* si|que|de ... vous|tu|pouviez|
        pouvoir|acceptiez|votre
        si vous|tu pouviez|pouvez|pourriez|peux|pourrais|acceptiez|acceptez|aviez|avez ... _
        ce serait ... bien|super|gentil|parfait|génial|bon si / qu'en penses|pensez tu|vous
        qu'est ce que|qui tu|vous|on
        ton|votre|tes|vos avis|accord|retour|réponse|remarques|commentaires|suggestions ... sur|
        avant|pour|est|nous|quant|concernant
        j'aimerais|aimerions|souhaiterions|souhaiterais|voudrais|voudrions ... savoir|avoir|que|
        connaître|rencontrer|vous|ton|votre / je me|nous demandais|demande si
        ça|cela|quel*|quand|qui te|vous|jour|heure|date ... va|convient|conviendrait|arrange|dit|
        irait|préfères|préférez
        on se|déjeune|dîne|mange|fait|y|prend|va ... quand|ensemble|où|à?
        es tu|t|êtes|serais dispo*|libre
        j'ai|avons|j'aurais|aurions encore? une|deux|quelques petite? question|questions|demande|
        service / rsvp / merci de votre|ta|ton réponse|retour|confirmation
        répondre ... avant|au|par
        n'ai|avons|a toujours? pas|rien ... reçu|eu ... de|votre|ton|réponse|retour|nouvelles
        toujours|encore pas ... reçu|réponse|nouvelles|retour
        je me permets de vous|te relancer|rappeler / je reviens vers|à vous|toi / relance|relancer
        quand|où|comment|combien|pourquoi|quel*|qui|que|quoi ... peux|pouvez|pourrais|pourriez|
        veux|voulez|as|avez|penses|pensez|es|êtes|préfères|préférez|sera|seras|serez tu|vous|t
        avez|as|aurais|auriez vous|tu / envoyez|envoie le|la|les moi|nous
        tenir|tenez|tiens ... au courant|informé* / nous attendons ... votre|vos|que|un
    """,
    Kind.ACT: """
        ne|n marche|fonctionne ... pas|plus / message d'erreur / toujours pas ... arrivé|reçu
        merci de|d _ / veuillez _ / prière de / pensez|pense|n'oubliez|n'oublie à|pas
        il faut|faudrait que tu|vous / tu dois|devrais / vous devez|devriez / je vous|te prie de
    """,
    Kind.QUESTION: """
        je ne? sais|savons pas|plus si|quand|où|comment|qui|quel* ... tu|vous / aucune idée
        je me demande
        ^ est|sont|y|avez|as|faut|a|va|avons|pouvons|devons|ont ce|il|ils|elle|elles|t|vous|tu|
        nous|on / ^ quand|où|comment|combien|pourquoi|quel*|qui ... est|sont|faut|a|va|vont|y
    """,
    Kind.COURTESY: """
        n'hésite*|n'hésitez|hésite*|hésitez pas|surtout ... à|de|me|nous? ... contacter|appeler|
        revenir|demander|solliciter|poser?
        veuillez trouver|agréer|recevoir|noter|croire|accepter|excuser|patienter|cliquer|ignorer|
        consulter / je vous|te prie d'agréer|de|d ... croire|agréer|recevoir|trouver|noter|excuser
        merci de lui|leur réserver
        merci de|d votre|avoir|m'avoir|nous|ton|ta|t'être|t'en|vous ... avoir|occuper|
        compréhension|confiance|attention|intérêt|participation|patience|commande|visite|achat
        merci de noter|ne|prendre
        pour tout*|toute|si|en cas renseignement*|question*|vous|tu|de ... avez|as|question*|
        complémentaire*? / je|nous reste*|restons ... à|votre|ta|disposition
        à votre|ta disposition / si vous|tu avez|as ... questions|question|doutes|besoin
        j'ai|avons le plaisir de
        tiens|tenons|tenais|souhaite*|voudrais à|vous|te ... informer|remercier|signaler|annoncer|
        préciser / si vous|tu voulez|veux|souhaitez|souhaites
        faites moi|nous|fais signe|savoir si ... besoin|question*
        s'il te|vous plaît ... noter|trouver
    """,
    Kind.WAIVE: """
        pas|aucun*|plus ... besoin de|d ... répondre|réponse|rien|venir|t'inquiéter|appeler
        aucune|pas de|d réponse|action ... nécessaire|requise|attendue / inutile de|d _
        rien à|de ... faire|ajouter|plus / ne|merci de ne|pas ... répondre|réponds|répondez pas
        simple|juste|à|pour ... information|titre informatif? / ne tenez|tiens ... pas compte
        c'est réglé|bon
    """,
    Kind.SMALLTALK: """
        comment ça|vas|allez va|tu|vous|roule / ^ ça va bien|toi|vous? / ^ ça roule
        tu vas|vous allez bien / quoi de neuf
        comment s'est|se sont passé* ... vacances|week|weekend|voyage|fêtes / ^ ah bon
        ^ vraiment
    """,
    Kind.RHETORIC: """
        qui aurait ... cru|pensé|dit|imaginé / qui l'eût cru / qui l'aurait cru|dit
        c'est|n'est il|elle|ce|t|pas ... beau|génial|fou|dingue|magnifique|incroyable
        tu te|vous vous? rends|rendez compte / à quoi bon / que demander de plus / tu y crois
        où va t on
    """,
    Kind.SOMEONE: """
        quelqu'un / l'un|l'une|un|une d'entre|de|des vous|deux
        qui peut|veut|sait|a|pourrait|connaît|aurait|souhaite|serait / certains d'entre vous
    """,
    Kind.EVERYONE: """
        tous|toutes|chacun|chacune|tout le|monde|vous deux / tous les|deux|deux / vous tous|deux
        chacun de|d'entre vous / l'ensemble des
    """,
    Kind.THANKS: """
        merci|remercie|remercions|remerciements beaucoup|bien|pour|à|encore|infiniment|mille?
        mille mercis / grand merci
    """,
    Kind.CLOSING: """
        ^ parfait|super|génial|entendu|compris|noté|nickel|top|d'accord|ok|okay|excellent|
        impeccable|reçu|bien|ça|volontiers|merci|bravo|félicitations
        c'est bon|noté|parfait|réglé|fait|bien|entendu|super|trouvé|tout|résolu|gentil
        bien reçu|noté
        ça|cela|tout me|nous|marche|roule|va|est|convient|fonctionne va|convient|bon|ok|bien?
        pas de souci*|problème / de rien / bonne journée|soirée|fin|semaine|nuit|continuation
        bon week|weekend|voyage|courage
        à bientôt|demain|tout|plus|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|la
        rien à|de plus|ajouter / c'est tout ce / laisse tomber / j'ai trouvé|compris|réussi
        plus besoin / on fait comme|ça
    """,
    Kind.INFORM: """
        pour|à info|information|ton|votre|titre|rappel|mémoire ... information|info|informatif?
        ci joint*|dessous|inclus / en pièce jointe / vous trouverez|trouveras
        veuillez trouver|noter / voici|voilà
        je|nous vous|te|t informe*|informons|confirme*|annonce*|signale*|envoie*|transmets|
        transmettons|fais|faisons|préviens|prévenons|rappelle*|joins
        j'ai|avons bien? envoyé|transmis|payé|réservé|reçu|fait|ajouté|joint
        comme convenu|promis|demandé|discuté|prévu|d'habitude
        juste|simplement pour|que ... dire|prévenir|informer|signaler?
        point|compte d'étape|hebdomadaire|rendu|d'avancement
        sera|seront ... fermé*|coupé*|reporté*|annulé*|absent*|disponible*|livré*
        j'ai l'honneur|la|le regret|joie|plaisir / à compter|partir du|de / fyi
    """,
    Kind.PROMISE: """
        je|nous vais|vais|allons ... voir|vérifier|demander|regarder|envoyer|faire|appeler|
        revenir|tenir|m'en|me|renseigner
        je|nous te|vous|reviens|reviendrai|reviendrons|tiens|tiendrai|tiendrons|rappelle|
        rappellerai|enverrai|enverrons|ferai|ferons|dirai|dirons|recontacte* ... vers|au|dès|
        demain|courant|la|d'ici|informé*|retour?
        dois|devons ... vérifier|demander|voir|consulter|d'abord / je m'en occupe|charge|occuperai
        je te|vous dis|redis|confirme|réponds ... demain|dès|la|rapidement|bientôt|vite
        nous reviendrons vers
    """,
    Kind.REMIND: """
        rappel|relance|relancer|rappeler|relançons / des nouvelles|avancé / toujours|encore pas
        sauf erreur
        mon|notre dernier|précédent|message|mail|courrier|dernière ... message|mail|du|de?
        semaine dernière / en retard|souffrance
    """,
    Kind.URGENT: """
        urgent*|urgence|urgemment|immédiatement / dès que possible / au plus vite|tôt
        le plus vite|rapidement|tôt possible? / dans les plus brefs / sans délai|tarder
        rapidement / très important / tout de suite / asap
    """,
    Kind.DEADLINE: f"""
        avant|pour|d'ici|jusqu'à|d'ici|au le|à|ce|plus? {_DAY} matin|midi|soir|après|prochain?
        + midi? / au plus tard _ _? _?
        avant|d'ici|pour|jusqu au|le|à|la|fin|ce|demain|midi|aujourd'hui ... {_MONTH}
        avant|d'ici|pour|au le|la|à|ce|fin|demain|midi|aujourd'hui|lundi|soir|demain|samedi _? _?
        + _? / sous|dans|d'ici _ heures|jours|semaines|48|24|quinzaine heures|jours?
        date limite ... _? _? / avant fin _ / d'ici la|ce|demain|fin fin|soir|de|la? _? _?
        passé ce délai
    """,
    Kind.SOON: """
        aujourd'hui|demain|immédiatement / ce soir|matin|midi / cet après / avant ce|midi
        sous|dans 24|48|les|une|deux heures? / au plus vite / tout de suite
    """,
    Kind.BILL: """
        payable*|règlement|échéance|montant ... à|sous|dans|de|dû?
        facture n|no|numéro|du|de|relative|pour
        régler|payer la|cette|le|notre facture|montant|solde
    """,
    Kind.LEGAL: """
        ce message|courriel|mail ... est|contient|et ... confidentiel*|destiné*|pièces
        destinataire|destiné exclusive*|prévu / si vous avez reçu ce|cet
        n'êtes pas le destinataire / imprimer|imprimez ce|que
    """,
    Kind.BULK: """
        vous|se désabonner|désinscrire / désabonner|désinscrire|désabonnement|désinscription
        ne plus|souhaitez recevoir|plus ... nos|ces|de|recevoir? / vous recevez ce|cet|cette
    """,
    Kind.PROMO: """
        tous droits réservés / politique de confidentialité / dans votre navigateur
        version en ligne / cliquez ici|sur / gratuit*|offert*
        commandez|profitez|achetez|découvrez|inscrivez|cliquez
        offre spéciale|exclusive|limitée|promotionnelle / promotion|promo|soldes|réduction|remise
        gagnez|gagner de / crédit|casino|maigrir|rachat / jusqu'à ... % / ne manquez pas
        satisfait ou remboursé
    """,
    Kind.GREETING: """
        ^ bonjour|bonsoir|salut|coucou|hello|allô|re à|tous|toutes|vous|monsieur|madame|et|deux|
        tout|le|monde|les?
        ^ cher*|chère* monsieur|madame|collègues|tous|toutes|amis|ami|amie|et?
        ^ monsieur|madame|messieurs|mesdames
    """,
    Kind.PITCH: """
        je me permets de vous|te contacter|écrire
        découvert|visité|vu|consulté|trouvé|remarqué votre|vos ... entreprise|site|société|profil|
        activité
        nous aidons|accompagnons|proposons|sommes ... entreprises|sociétés|clients|agence|
        professionnels|pme|une / entreprises|sociétés|pme comme|telles la|le|que vôtre|vous?
        nouveaux|plus|davantage clients|de|leads|prospects clients?
        chiffre d'affaires ... augmenter|doubler|développer?
        référencement|seo|prospection|leads|backlinks / première page
    """,
    Kind.SALES: """
        quinze|15|dix|10|vingt|20|30|trente minutes / sans engagement
        échange|rendez|appel|démonstration|démo ... rapide|gratuit*|découverte|téléphonique|vous|
        sans / audit|essai|devis|démo gratuit* / offre exclusive|spéciale|promotionnelle
        la bonne personne|bon interlocuteur
        notre solution|logiciel|plateforme|agence|outil ... permet|aide|offre|vous
    """,
    Kind.BAIT: """
        compte|boîte|accès|carte|abonnement ... suspendu*|bloqué*|limité*|désactivé*|fermé*|
        supprimé*|restreint*|expire*|expiré*
        activité*|connexion* ... inhabituelle*|suspecte*|non
        éviter ... suspension|fermeture|blocage|désactivation
        gagné|gagnant|loterie|héritage|bénéficiaire|succession / million* d'euros|de|dollars
        remboursement ... de|en|attente|disponible|impôt* / droit à un remboursement
        colis ... bloqué|attente|retenu|frais|suspendu / vidéo*|photos ... intime*|compromettante*
        piraté|hacké / poursuites|action judiciaire*|en / votre dossier sera
    """,
    Kind.CREDENTIAL: """
        confirmez|confirmer|vérifiez|vérifier|validez|valider|mettez|mettre|actualisez|renseignez|
        saisissez|saisir|communiquez|fournissez ... vos|votre ... coordonnées|identité|compte|
        informations|identifiants|mot|données|carte|mail
        cliquez|cliquant|cliquer ... ici|lien|bouton|sur|suivant
        identifiants|identifiant|utilisateur et mot|votre
        mot de passe ... en|sur|via|avant|ici|confirm* / coordonnées|informations bancaires
        connectez vous ... pour|ici|via|sur / votre|numéro de? carte bancaire|bleue|vitale
    """,
    Kind.PAYMENT: """
        carte*|coupon* cadeau*|itunes|steam|pcs|transcash|neosurf|recharge / bitcoin*|crypto*
        virement ... urgent|aujourd|immédiat|confidentiel|international|nouveau
        nouveau*|changement|nouvelles de|coordonnées|rib ... rib|bancaires?
        frais de dossier|livraison|douane|traitement|transfert / western union
    """,
    Kind.PRESSURE: """
        sous|dans|d'ici les? 24|48|72|12 heures|h / immédiatement|urgent|urgence
        dernier rappel|avertissement / faute de quoi / passé ce délai / à défaut
        sinon votre|vous|nous / confidentiel*|confidentialité / ne parlez|parle ... personne
        définitivement fermé*|supprimé*|suspendu*
    """,
    Kind.GENERIC: """
        ^ cher*|chère* client*|utilisateur*|contribuable|membre|abonné*|ami|usager|bénéficiaire
        service client* / administrateur système|messagerie / ^ madame monsieur
    """,
    Kind.INJECTION: """
        ignore*|ignorez|oublie*|oubliez ... toutes|tous|les|vos|tes ... instruction*|consigne*|
        règles|directives / tu es|vous êtes maintenant|désormais ... un|une|assistant
        prompt|message|instruction système / nouvelles instructions pour ... ia|assistant|modèle|l
        assistant|l'assistant|ia|agent ... doit|devez|dois|merci|veuillez
        ^ assistant|système ... envoie|envoyez|réponds|répondez|transfère*|ajoute*|ignore*|dis|
        inclus
        celui|quiconque|toute|personne|qui ... rédige|prépare|répond|écrit ... doit|devra|devrait
        transfère*|transférez|envoie|envoyez ... tous|toutes|l'ensemble|les ... mails|messages|
        courriels|mots|contacts|codes / ne dis|dites|mentionne*|révèle* ... rien|pas|utilisateur
        l'utilisateur a ... approuvé|accepté|autorisé
        incluez|inclus|liste*|listez|ajoute*|ajoutez ... tous|toutes|chaque ... mots|codes|
        messages|mails|contacts
    """,
}
