"""A few phrases of further languages: enough to see a request that has no question mark.

Languages that put spaces between words are looked up like the seven well-known ones. Chinese,
Japanese, Korean and Thai are looked up as pieces of the text (``PIECES``).
"""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACKS: Final[dict[str, Pack]] = {
    "pl": {
        Kind.REQUEST: """
            proszę o|ci|cię|pana|panią|daj|wyślij|prześlij|podaj|potwierdź|odpowied*|potwierdz*|
            napisz|powiedz / daj|dajcie mi|nam|znać
            czy możesz|mógłbyś|mogłabyś|może|mogę|możemy|moglibyśmy|masz|jest|pan|pani
            mógłbyś|mogłabyś|mógłby|mogłaby / będę wdzięczn* za / czekam|czekamy na / prosimy o
        """,
        Kind.ACT: "proszę _",
        Kind.THANKS: "dziękuję / dzięki / dziekuje / dziękujemy",
        Kind.CLOSING: "^ świetnie|super|jasne|ok|dobrze / wszystko jasne / nie trzeba odpowiadać",
        Kind.URGENT: "pilne / pilnie / jak najszybciej",
        Kind.DEADLINE: "do|przed poniedziałku|wtorku|środy|czwartku|piątku|jutra|końca",
        Kind.GREETING: "^ cześć|hej|witam|witaj|dzień|szanown*|drog* dobry|pani|panie|państwo?",
    },
    "cs": {
        Kind.REQUEST: """
            prosím o|pošli|pošlete|potvrď|potvrďte|napiš|dej|dejte|zašlete|odpověz|sděl*
            můžeš|můžete|mohl|mohla|mohli bys|byste|mi|nám|přinést|poslat|_
            dej|dejte mi|nám? vědět / čekám|čekáme na / prosíme o
        """,
        Kind.ACT: "prosím _",
        Kind.THANKS: "děkuji|díky|děkujeme|dík",
        Kind.CLOSING: "^ super|výborně|dobře|jasně / není třeba odpovídat",
        Kind.URGENT: "naléhav* / co nejdříve / urgentní",
        Kind.DEADLINE: "do|před pondělí|úterý|středy|čtvrtka|pátku|zítra|konce",
        Kind.GREETING: "^ ahoj|čau|dobrý|vážen*|mil* den|pane|paní?",
    },
    "ru": {
        Kind.REQUEST: """
            пожалуйста ... пришл*|отправ*|подтверд*|ответ*|сообщ*|дай*|скаж*|провер*|позвон*|
            напиш* / прошу|просим _ / можешь|можете|могли|мог|могла ли|бы|вы|ты? _
            дай|дайте знать
            сообщите|сообщи|подтвердите|пришлите|пришли|ответьте|напишите|скажите
            жду|ждём|ждем ... ответ*|подтвержд*|от / не мог*|могли бы
        """,
        Kind.ACT: "пожалуйста _",
        Kind.THANKS: "спасибо|благодарю|благодарим",
        Kind.CLOSING: "^ отлично|хорошо|понял|поняла|ок|ясно / всё ясно / отвечать не нужно",
        Kind.URGENT: "срочно / как можно скорее / срочный",
        Kind.DEADLINE: "до|к понедельник*|вторник*|сред*|четверг*|пятниц*|завтра|конца",
        Kind.GREETING: "^ привет|здравствуй*|уважаем*|добрый|дорог* день|вечер|утро?",
    },
    "uk": {
        Kind.REQUEST: """
            будь ласка ... надішл*|підтверд*|відпов*|повідом*|скаж*|перевір* / прошу|просимо _
            чи можеш|можете|могли / дай|дайте знати / чекаю|чекаємо на
        """,
        Kind.THANKS: "дякую|дякуємо|спасибі",
        Kind.CLOSING: "^ чудово|добре|зрозуміло",
        Kind.URGENT: "терміново / якнайшвидше",
        Kind.GREETING: "^ привіт|вітаю|шановн*|добрий день?",
    },
    "sv": {
        Kind.REQUEST: """
            kan|kunde|skulle|vill|har du|ni / snälla ... skicka|svara|bekräfta|säg / hör av dig|er
            låt mig|oss veta / vänligen _ / återkom* ... med|till|gärna / ser fram emot ... svar
            skicka ... tack|gärna / tacksam för|om
        """,
        Kind.THANKS: "tack / tackar",
        Kind.CLOSING: "^ perfekt|toppen|bra|okej / du behöver inte svara",
        Kind.URGENT: "brådskande / så snart som / snarast",
        Kind.DEADLINE: "senast|före|innan _ _?",
        Kind.GREETING: "^ hej|hejsan|tjena|kära|bästa|god på|alla|morgon?",
    },
    "da": {
        Kind.REQUEST: """
            kan|kunne|vil|ville|har du|i / send|sig|giv|ring|svar|bekræft ... venligst|gerne
            venligst _ / lad mig|os ... vide / ser|glæder frem|mig til ... svar|høre / hører gerne
            må jeg bede
        """,
        Kind.THANKS: "tak / mange tak",
        Kind.CLOSING: "^ perfekt|super|fint|okay / du behøver ikke svare",
        Kind.URGENT: "haster / hurtigst muligt / så snart",
        Kind.DEADLINE: "senest|inden|før _ _?",
        Kind.GREETING: "^ hej|kære|hejsan|god alle|morgen?",
    },
    "no": {
        Kind.REQUEST: """
            kan|kunne|vil|ville|har du|dere / vennligst _ / gi meg|oss|beskjed
            la meg|oss ... vite / ser frem til ... svar|høre
            send|svar|bekreft|ring ... gjerne|meg|oss
        """,
        Kind.THANKS: "takk / tusen takk",
        Kind.CLOSING: "^ perfekt|flott|supert|greit / du trenger ikke svare",
        Kind.URGENT: "haster / så snart som|mulig / snarest",
        Kind.DEADLINE: "senest|innen|før _ _?",
        Kind.GREETING: "^ hei|kjære|hallo|god alle|morgen?",
    },
    "fi": {
        Kind.REQUEST: """
            voisitko|voisitteko|voitko|voitteko|saisinko|saisimmeko|olisiko|onko|haluatko|ehditkö|
            tiedätkö _ / ole|olkaa hyvä / ystävällisesti _
            kerro|kertokaa|ilmoita|ilmoittakaa|lähetä|lähettäkää|vahvista|vahvistakaa|vastaa|
            vastatkaa _ / odotan|odotamme ... vastaus*
        """,
        Kind.THANKS: "kiitos|kiitoksia|kiitän|kiitti",
        Kind.CLOSING: "^ hyvä|selvä|loistavaa|ok|okei|hienoa",
        Kind.URGENT: "kiireellinen|kiireellisesti|kiire / mahdollisimman pian",
        Kind.GREETING: "^ hei|moi|terve|hyvä|päivää kaikki|huomenta|päivää?",
    },
    "tr": {
        Kind.REQUEST: """
            lütfen _ / rica ederim|ederiz|ediyorum
            gönderir|gönderebilir|iletir|yollar|söyler|onaylar|yapabilir|gelebilir|verebilir
            + misin|misiniz|mısın|mısınız / haber ver*|verir / bekliyorum|bekliyoruz
            bilgi verir*
        """,
        Kind.THANKS: "teşekkür|teşekkürler|sağ / sağol|sağolun",
        Kind.CLOSING: "^ tamam|harika|süper|anladım",
        Kind.URGENT: "acil|acilen / en kısa",
        Kind.GREETING: "^ merhaba|selam|sayın|sevgili|günaydın",
    },
    "ro": {
        Kind.REQUEST: """
            poți|puteți|ai|ați putea|să|trimite|putea|confirma|spune / te|vă rog|rugăm _
            aștept|așteptăm ... răspuns*|confirmare* / anunță|anunțați mă|ne / dați|dă mi|ne
        """,
        Kind.THANKS: "mulțumesc|mersi|mulțumim",
        Kind.CLOSING: "^ perfect|super|bine|ok",
        Kind.URGENT: "urgent / cât mai repede|curând",
        Kind.GREETING: "^ bună|salut|stimat*|dragă|bun ziua|seara|tuturor?",
    },
    "hu": {
        Kind.REQUEST: """
            kérem|kérlek|kérjük|kérném _ / tudnál|tudnátok|tudna|tudsz|tudtok _ / meg tudnád|tudná
            várom|várjuk ... válasz* / küldd|küldje|írd|jelezz*|erősítsd|válaszolj _
        """,
        Kind.THANKS: "köszönöm|köszi|köszönjük|kösz",
        Kind.CLOSING: "^ rendben|szuper|jó|oké",
        Kind.URGENT: "sürgős|sürgősen / mielőbb / minél előbb",
        Kind.GREETING: "^ szia|sziasztok|kedves|tisztelt|helló|jó napot|reggelt|mindenki?",
    },
    "el": {
        Kind.REQUEST: """
            μπορείς|μπορείτε|μπορούμε|θα να|μου|σας / παρακαλώ|παρακαλούμε _
            περιμένω|περιμένουμε ... απάντηση*
            στείλε|στείλτε|πες|πείτε|απάντησε|επιβεβαίωσε|επιβεβαιώστε _
        """,
        Kind.THANKS: "ευχαριστώ|ευχαριστούμε",
        Kind.CLOSING: "^ τέλεια|εντάξει|ωραία|οκ",
        Kind.URGENT: "επείγον|επειγόντως / το συντομότερο",
        Kind.GREETING: "^ γεια|καλημέρα|αγαπητ*|καλησπέρα|χαίρετε σας|σου?",
    },
}

PIECES: Final[tuple[tuple[Kind, str], ...]] = (
    (Kind.REQUEST, "てください"),
    (Kind.REQUEST, "て下さい"),
    (Kind.REQUEST, "でください"),
    (Kind.REQUEST, "いただけ"),
    (Kind.REQUEST, "お願いします"),
    (Kind.REQUEST, "お願いいたします"),
    (Kind.REQUEST, "お知らせください"),
    (Kind.REQUEST, "ご確認ください"),
    (Kind.REQUEST, "ご返信"),
    (Kind.REQUEST, "ご連絡ください"),
    (Kind.QUESTION, "でしょうか"),
    (Kind.QUESTION, "ますか"),
    (Kind.QUESTION, "ですか"),
    (Kind.QUESTION, "ませんか"),
    (Kind.THANKS, "ありがとうございま"),
    (Kind.CLOSING, "承知しました"),
    (Kind.CLOSING, "了解しました"),
    (Kind.REQUEST, "请确认"),
    (Kind.REQUEST, "請確認"),
    (Kind.REQUEST, "请告"),
    (Kind.REQUEST, "請告"),
    (Kind.REQUEST, "请回复"),
    (Kind.REQUEST, "請回覆"),
    (Kind.REQUEST, "请发"),
    (Kind.REQUEST, "请提供"),
    (Kind.REQUEST, "请您"),
    (Kind.REQUEST, "能否"),
    (Kind.REQUEST, "可否"),
    (Kind.REQUEST, "麻烦你"),
    (Kind.REQUEST, "麻烦您"),
    (Kind.REQUEST, "请帮"),
    (Kind.REQUEST, "请查收并"),
    (Kind.QUESTION, "吗"),
    (Kind.QUESTION, "是否"),
    (Kind.QUESTION, "什么时候"),
    (Kind.THANKS, "谢谢"),
    (Kind.THANKS, "謝謝"),
    (Kind.CLOSING, "收到了"),
    (Kind.REQUEST, "주세요"),
    (Kind.REQUEST, "주시기 바랍니다"),
    (Kind.REQUEST, "부탁드립니다"),
    (Kind.REQUEST, "부탁합니다"),
    (Kind.REQUEST, "주실 수"),
    (Kind.REQUEST, "주시겠"),
    (Kind.QUESTION, "나요"),
    (Kind.QUESTION, "습니까"),
    (Kind.THANKS, "감사합니다"),
    (Kind.CLOSING, "알겠습니다"),
    (Kind.REQUEST, "กรุณา"),
    (Kind.REQUEST, "ช่วย"),
    (Kind.QUESTION, "ไหม"),
    (Kind.QUESTION, "หรือไม่"),
    (Kind.THANKS, "ขอบคุณ"),
    (Kind.REQUEST, "من فضلك"),
    (Kind.REQUEST, "يرجى"),
    (Kind.REQUEST, "الرجاء"),
    (Kind.REQUEST, "هل يمكن"),
    (Kind.THANKS, "شكرا"),
    (Kind.REQUEST, "בבקשה"),
    (Kind.REQUEST, "אפשר לקבל"),
    (Kind.REQUEST, "האם תוכל"),
    (Kind.THANKS, "תודה"),
    (Kind.REQUEST, "لطفا"),
    (Kind.THANKS, "متشکرم"),
    (Kind.REQUEST, "कृपया"),
    (Kind.THANKS, "धन्यवाद"),
)
