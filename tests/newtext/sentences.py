"""Sentences as they stand in short mails, by language (ISO 639-1), none of them over a dozen words."""

from __future__ import annotations

from typing import Final

SENTENCES: Final = {
    "en": (
        "Could you open the hall on Tuesday?", "I will call you back tomorrow.", "Sorry, I cannot make it this week.",
        "Who is going to pay for the new fence?", "We received your parcel yesterday evening.", "That works for me.",
        "Please find the contract attached.", "How long will the repair take?",
    ),
    "de": (
        "Können wir uns am Dienstag treffen?", "Ich rufe dich morgen zurück.", "Leider schaffe ich es diese Woche nicht.",
        "Wer bezahlt eigentlich den neuen Zaun?", "Ihr Paket ist gestern Abend angekommen.", "Das passt mir gut.",
        "Anbei finden Sie den Vertrag.", "Wie lange wird die Reparatur dauern?",
    ),
    "fr": (
        "Pouvez-vous ouvrir la salle mardi ?", "Je vous rappelle demain matin.", "Désolé, je ne peux pas venir cette semaine.",
        "Qui va payer la nouvelle clôture ?", "Nous avons reçu votre colis hier soir.", "Ça me va très bien.",
        "Vous trouverez le contrat en pièce jointe.", "Combien de temps durera la réparation ?",
    ),
    "es": (
        "¿Puede abrir la sala el martes?", "Te llamo mañana por la mañana.", "Lo siento, no puedo ir esta semana.",
        "¿Quién va a pagar la valla nueva?", "Recibimos su paquete ayer por la tarde.", "A mí me parece bien.",
        "Le envío el contrato adjunto.", "¿Cuánto tiempo tardará la reparación?",
    ),
    "it": (
        "Potrebbe aprire la sala martedì?", "Ti richiamo domani mattina.", "Mi dispiace, questa settimana non riesco a venire.",
        "Chi paga la nuova recinzione?", "Abbiamo ricevuto il vostro pacco ieri sera.", "Per me va bene.",
        "In allegato trova il contratto.", "Quanto tempo ci vorrà per la riparazione?",
    ),
    "pt": (
        "Pode abrir a sala na terça-feira?", "Eu ligo para você amanhã de manhã.", "Desculpe, não posso ir esta semana.",
        "Quem vai pagar a nova cerca?", "Recebemos a sua encomenda ontem à noite.", "Para mim está ótimo.",
        "Segue em anexo o contrato.", "Quanto tempo vai demorar o conserto?",
    ),
    "nl": (
        "Kunt u dinsdag de zaal openen?", "Ik bel je morgen terug.", "Sorry, deze week lukt het mij niet.",
        "Wie betaalt eigenlijk het nieuwe hek?", "Wij hebben uw pakket gisteravond ontvangen.", "Dat vind ik prima.",
        "In de bijlage vindt u het contract.", "Hoe lang gaat de reparatie duren?",
    ),
    "pl": (
        "Czy mogą Państwo otworzyć salę we wtorek?", "Oddzwonię do ciebie jutro rano.", "Przepraszam, w tym tygodniu nie dam rady.",
        "Kto zapłaci za nowe ogrodzenie?", "Wczoraj wieczorem dotarła do nas paczka.", "Mnie to pasuje.",
        "W załączeniu przesyłam umowę.", "Jak długo potrwa naprawa?",
    ),
    "cs": (
        "Mohl byste v úterý otevřít sál?", "Zítra ráno ti zavolám zpátky.", "Bohužel to tento týden nestihnu.",
        "Kdo zaplatí nový plot?", "Váš balík dorazil včera večer.", "Mně to vyhovuje.",
        "V příloze zasílám smlouvu.", "Jak dlouho bude oprava trvat?",
    ),
    "sk": (
        "Mohli by ste v utorok otvoriť sálu?", "Zajtra ráno ti zavolám späť.", "Žiaľ, tento týždeň to nestihnem.",
        "Kto zaplatí nový plot, keď ešte nemáme peniaze?", "Váš balík prišiel včera večer.", "Mne to vyhovuje.",
    ),
    "sv": (
        "Kan du öppna lokalen på tisdag?", "Jag ringer dig i morgon bitti.", "Tyvärr hinner jag inte den här veckan.",
        "Vem ska betala det nya staketet?", "Vi fick ert paket i går kväll.", "Det går bra för mig.",
        "Avtalet ligger i bilagan.", "Hur lång tid tar reparationen?",
    ),
    "da": (
        "Kan du åbne salen på tirsdag?", "Jeg ringer til dig i morgen tidlig.", "Desværre kan jeg ikke nå det i denne uge.",
        "Hvem skal betale for det nye hegn?", "Vi modtog jeres pakke i går aftes.", "Det er helt fint med mig.",
        "Kontrakten er vedhæftet.", "Hvor lang tid tager reparationen?",
    ),
    "nb": (
        "Kan du åpne salen på tirsdag?", "Jeg ringer deg i morgen tidlig.", "Dessverre rekker jeg det ikke denne uken.",
        "Hvem skal betale for det nye gjerdet?", "Vi fikk pakken deres i går kveld.", "Det er helt greit for meg.",
        "Kontrakten ligger vedlagt.", "Hvor lang tid tar reparasjonen?",
    ),
    "fi": (
        "Voisitteko avata salin tiistaina?", "Soitan sinulle takaisin huomenna.", "Valitettavasti en ehdi tällä viikolla.",
        "Kuka maksaa uuden aidan?", "Saimme pakettinne eilen illalla.", "Minulle se sopii.",
        "Sopimus on liitteenä.", "Kauanko korjaus kestää?",
    ),
    "hu": (
        "Ki tudná nyitni a termet kedden?", "Holnap reggel visszahívlak.", "Sajnos ezen a héten nem érek rá.",
        "Ki fizeti az új kerítést?", "Tegnap este megkaptuk a csomagot.", "Nekem ez így jó.",
        "Mellékelten küldöm a szerződést.", "Meddig fog tartani a javítás?",
    ),
    "ro": (
        "Puteți deschide sala marți?", "Te sun mâine dimineață.", "Îmi pare rău, nu pot veni săptămâna aceasta.",
        "Cine plătește gardul cel nou?", "Am primit coletul dumneavoastră aseară.", "Pentru mine este în regulă.",
        "Vă trimit contractul atașat.", "Cât va dura reparația?",
    ),
    "tr": (
        "Salıyı beklemeden salonu açabilir misiniz?", "Yarın sabah seni geri ararım.", "Maalesef bu hafta gelemiyorum.",
        "Yeni çitin parasını kim ödeyecek?", "Paketinizi dün akşam aldık.", "Benim için uygun.",
        "Sözleşmeyi ekte gönderiyorum.", "Tamir ne kadar sürecek?",
    ),
    "vi": (
        "Anh có thể mở hội trường vào thứ ba không?", "Sáng mai tôi sẽ gọi lại cho bạn.", "Xin lỗi, tuần này tôi không đến được.",
        "Ai sẽ trả tiền cho hàng rào mới?", "Chúng tôi đã nhận được gói hàng tối qua.", "Với tôi thì được.",
    ),
    "id": (
        "Apakah Anda bisa membuka aula hari Selasa?", "Saya akan menelepon kembali besok pagi.", "Maaf, minggu ini saya tidak bisa datang.",
    ),
    "el": ("Μπορείτε να ανοίξετε την αίθουσα την Τρίτη;", "Θα σας πάρω αύριο.", "Πόσο θα διαρκέσει η επισκευή;"),
    "ru": (
        "Можете открыть зал во вторник?", "Я перезвоню вам завтра утром.", "К сожалению, на этой неделе не получится.",
        "Кто заплатит за новый забор?", "Мы получили вашу посылку вчера вечером.", "Меня это устраивает.",
        "Договор во вложении.", "Сколько времени займёт ремонт?",
    ),
    "uk": (
        "Чи можете ви відкрити зал у вівторок?", "Я передзвоню вам завтра вранці.", "На жаль, цього тижня не зможу.",
        "Хто заплатить за новий паркан?", "Ми отримали вашу посилку вчора ввечері.", "Мені підходить.",
        "Договір у вкладенні.", "Скільки часу займе ремонт?",
    ),
    "bg": (
        "Можете ли да отворите залата във вторник?", "Ще ви се обадя утре сутринта.", "За съжаление тази седмица не мога.",
        "Кой ще плати за новата ограда?", "Получихме вашата пратка снощи.", "За мен е добре.",
        "Изпращам договора като прикачен файл.", "Колко време ще отнеме ремонтът?",
    ),
    "zh": ("星期二能开一下礼堂吗？", "我明天早上给您回电话。", "合同请见附件。", "請問維修需要多久？"),
    "ja": ("火曜日に会場を開けていただけますか。", "明日の朝、折り返しお電話します。", "契約書を添付します。", "Robin様、お世話になっております。"),
    "ko": ("화요일에 강당을 열어 주실 수 있나요?", "내일 아침에 다시 전화드리겠습니다.", "계약서를 첨부합니다."),
    "he": ("האם תוכל לפתוח את האולם ביום שלישי?", "אתקשר אליך מחר בבוקר.", "החוזה מצורף."),
    "ar": ("هل يمكنك فتح القاعة يوم الثلاثاء؟", "سأتصل بك غدا صباحا.", "مرفق لكم العقد."),
}  # fmt: skip
"""What people write."""

UNSURE: Final = ("", "12:30", "OK", "Robin", "Robin Vale, Mina Okafor", "https://example.org/a", "robin@example.com", "+49 555 0100", "👍", "???", "Xyzzy qwrt zxcv")  # fmt: skip
"""Texts in no language in particular."""
