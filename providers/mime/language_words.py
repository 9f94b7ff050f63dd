"""Frequent words of languages that share an alphabet, in order of frequency.

The tables are our own: first the words that hold sentences together, most frequent first, then
words that mails are full of. They are all that the language detector learns from, words and runs
of letters alike. Languages that nobody asked for (Slovak, Croatian, Estonian, Catalan, Indonesian)
are in it so that they aren't taken for their neighbours.
"""

from __future__ import annotations

from typing import Final

LATIN: Final = {
    "en": (
        "the to and of a in is you for that it i we this on be with have are not as will can "
        "your at or if from by please would all our was there do any me my but could so about "
        "know when what which has us out no get time just they thanks thank should up need send "
        "let see how been one more also might only then their them he she his her who why where "
        "before after next last week month today tomorrow yesterday morning meeting call invoice "
        "regards hello hi dear best kind attached file question answer order delivery payment "
        "address monday tuesday wednesday thursday friday saturday sunday march april something "
        "anything think looking forward hearing received sorry yes sure fine great good new work "
        "works had shall bring help open hall key here very much possible available confirm sent "
        "does"
    ),
    "de": (
        "die und der ich sie in das den wir ist zu mit für nicht es auf ein eine dass an im "
        "bitte von uns mir haben am noch auch wie sich bei dem des oder um aber hat wird wenn so "
        "können ihnen ihre ihr du werden einen einem einer aus nach zum zur bis kann über nur "
        "mich was schon da habe sind dir dich gerne danke vielen dank hallo liebe lieber sehr "
        "geehrte grüße freundlichen morgen heute gestern woche termin rechnung lieferung anfrage "
        "frage antwort montag dienstag mittwoch donnerstag freitag samstag sonntag möchte "
        "möchten würde könnten könnte kannst passt schicken senden anhang angehängt unterlagen "
        "besprechung uhr wann wo warum wer welche damit dann hier jetzt leider natürlich müssen "
        "muss soll sollen melden bescheid geben gibt gut besten mal doch ob ja nein keine kein "
        "meine deine unser unsere vor"
    ),
    "fr": (
        "de la le et les à des je vous en que pour est un une nous du dans pas sur au ce il "
        "votre qui avec plus par ne se sont si bien mais vos ou cette merci bonjour j'ai "
        "cordialement me mon ma mes notre nos aux été être avoir ai avez avons suis tout tous "
        "faire fait peux pouvez peut pourriez pourrais voulez dois on elle ils leur y d'une "
        "l'envoi quand comment pourquoi où quel quelle combien demain hier aujourd'hui semaine "
        "mois prochain réunion facture commande livraison question réponse lundi mardi mercredi "
        "jeudi vendredi samedi dimanche pièce jointe ci-joint envoyer envoie apporter plans "
        "dossier rendez-vous salut oui non d'accord bonne journée avance convient disponible svp "
        "très encore aussi même sans tu te toi ton ta tes c'est n'est qu'il s'il après avant "
        "toujours déjà rien quelque chose"
    ),
    "es": (
        "de la que el en y a los se por un para con no una su las lo me del al es le te si más "
        "pero como nos hola gracias está están favor saludos cuando muy ya este esta todo "
        "también qué sobre hay o mi tu sus puede puedes podría podrías podemos quiero queremos "
        "necesito necesitamos tengo tiene tenemos ha he han ser hacer enviar envío adjunto "
        "factura pedido entrega pregunta respuesta reunión mañana hoy ayer semana mes próximo "
        "próxima lunes martes miércoles jueves viernes sábado domingo buenos días tardes "
        "estimado estimada atentamente cómo dónde cuándo cuál quién sí bien usted ustedes "
        "nosotros ellos nuestro nuestra vuestro planos traer viene venir hora desde hasta entre "
        "sin porque después antes aquí ahora aún algo nada cada otro otra mismo fue era sería "
        "gustaría saber decir parece confirmar"
    ),
    "it": (
        "di e il la che a in un per non è una sono i mi le si con del da lo ci ho al alla della "
        "dei come ma anche se ti grazie ciao più questo questa ha nel nella gli ne vi o io tu "
        "noi voi lei suo sua mio mia tuo tua nostro nostra vostro quando dove perché quale "
        "quanto cosa chi puoi può potete potrebbe potresti possiamo possibile vorrei vorremmo "
        "devo dobbiamo avere essere fare fatto mandare inviare invio allegato allegata fattura "
        "ordine consegna domanda risposta riunione domani oggi ieri settimana mese prossimo "
        "prossima lunedì martedì mercoledì giovedì venerdì sabato domenica buongiorno buonasera "
        "gentile cordiali saluti distinti bene va sì no molto ancora già sempre dopo prima sul "
        "sulla dal dalla delle degli ai agli alle qui ora tutto tutti portare piani venire "
        "sapere fammi gentilmente attesa"
    ),
    "pt": (
        "de que a o e do da em um para não com uma é os no se na por mais as dos como mas ao ele "
        "das à seu sua ou quando muito nos já eu também só pelo pela até isso ela entre depois "
        "sem mesmo aos ter seus quem nas me esse está você vocês obrigado obrigada olá bom dia "
        "boa tarde atenciosamente cumprimentos abraço pode podes poderia podemos posso preciso "
        "precisamos quero gostaria tenho tem temos há ser fazer enviar envio anexo fatura "
        "encomenda pedido entrega pergunta resposta reunião amanhã hoje ontem semana mês próximo "
        "próxima segunda terça quarta quinta sexta feira sábado domingo prezado prezada sim bem "
        "nosso nossa vosso onde qual quanto porque favor ainda aqui agora tudo nada trazer "
        "plantas mim foi são estão estou vou vai nossos tua teu lhe disso confirmar ver saber "
        "então"
    ),
    "nl": (
        "de en van het een ik in te dat is je op voor met niet we zijn aan er die u om of als "
        "maar wij kan bij naar heb uit ook dan nog wat door over mijn jullie heeft hebben wordt "
        "zo was graag bedankt dank hallo beste groet groeten vriendelijke alvast kun kunt kunnen "
        "wil willen zou moet moeten mag deze dit daar hier wanneer waar waarom wie welke hoe "
        "geen wel morgen vandaag gisteren week maand volgende afspraak vergadering factuur "
        "bestelling levering vraag antwoord maandag dinsdag woensdag donderdag vrijdag zaterdag "
        "zondag bijlage bijgevoegd sturen stuur gestuurd laten weten komt komen goed ja nee mij "
        "ons onze jouw uw hun hem haar al meer veel nu tot na tegen tekeningen neem mee mogelijk "
        "even iets"
    ),
    "pl": (
        "w i nie na z do się to że jest o a po co jak za ale czy dla od ja tak mi już przez są "
        "ze pan pani państwo proszę dziękuję dzień dobry witam cześć pozdrawiam poważaniem może "
        "możesz możemy mogę można chcę chciałbym chciałabym potrzebuję mam ma mamy być będzie "
        "będę był była było jeśli kiedy gdzie dlaczego kto który która które jaki ile bardzo "
        "tylko jeszcze też również oraz lub albo przed jutro dziś dzisiaj wczoraj tydzień "
        "tygodniu miesiąc spotkanie faktura faktury zamówienie dostawa pytanie odpowiedź "
        "poniedziałek wtorek środa środę czwartek piątek sobota niedziela załącznik załączniku "
        "wysłać przesłać przesyłam przynieść plany odpowiada mnie nam nas was wam ich jego jej "
        "tego tej ten ta te tym nasz góry bo więc gdy pod bez nad nic coś ktoś"
    ),
    "cs": (
        "a se v na je to že o s z do i ve k pro za by ale si po jak jsem jste jsme co tak jako "
        "od už nebo mi mě mne vám vás nám nás při aby však podle které který která kdy kde proč "
        "kdo jestli prosím děkuji děkuju děkujeme dobrý den ahoj zdravím pozdravem můžete můžeš "
        "můžeme mohu může chtěl chtěla potřebuji potřebujeme mám máme máte má být bude budu byl "
        "byla bylo jen ještě také taky velmi zítra dnes včera týden týdnu měsíc příští schůzka "
        "schůzku faktura fakturu objednávka dodávka otázka odpověď pondělí úterý středa středu "
        "čtvrtek pátek sobota neděle příloha příloze poslat posílám přinést plány vyhovuje ano "
        "ne dobře tento tato toto jeho její jejich náš naše váš vaše předem něco nic bez před "
        "mezi jestliže tedy hodin"
    ),
    "sk": (
        "a sa v na je to že o s z do aj vo k pre za by ale si po ako som ste sme čo tak od už "
        "alebo mi ma mňa vám vás nám nás pri aby však podľa ktoré ktorý ktorá kedy kde prečo kto "
        "či prosím ďakujem ďakujeme dobrý deň ahoj zdravím pozdravom môžete môžeš môžeme môžem "
        "môže chcel chcela potrebujem potrebujeme mám máme máte má byť bude budem bol bola bolo "
        "len ešte tiež veľmi zajtra dnes včera týždeň týždni mesiac budúci stretnutie faktúra "
        "faktúru objednávka dodávka otázka odpoveď pondelok utorok streda stredu štvrtok piatok "
        "sobota nedeľa príloha prílohe poslať posielam priniesť plány vyhovuje áno nie dobre "
        "tento táto toto jeho jej ich náš naše váš vaše vopred niečo nič bez pred medzi"
    ),
    "sv": (
        "och att det i en jag på är som för av med den till inte har vi ett om du kan ni så de "
        "var mig men från eller vid ska skulle vill din ditt dig er oss vår vårt när där här vad "
        "vem vilken hur varför hej tack mvh vänliga hälsningar bästa gärna även också bara nu då "
        "efter innan under mycket mer alla allt något någon ingen inga får få gör göra kommer "
        "komma skicka skickar bifogat bifogad faktura fakturan beställning leverans fråga frågor "
        "svar möte mötet imorgon idag igår vecka veckan månad nästa måndag tisdag onsdag torsdag "
        "fredag lördag söndag passar bra ja nej ta ritningarna klockan möjligt behöver kunde "
        "hälsning snälla vänligen"
    ),
    "da": (
        "og at det i en jeg på er som for af med den til ikke har vi et om du kan så de var mig "
        "men fra eller ved skal vil din dit dig jer os vores når der her hvad hvem hvilken "
        "hvordan hvorfor hej tak mvh venlig hilsen hilsner bedste gerne også kun nu da efter "
        "inden under meget mere alle alt noget nogen ingen får få gør gøre kommer komme sende "
        "sender vedhæftet faktura fakturaen bestilling levering spørgsmål svar møde mødet morgen "
        "dag går uge ugen måned næste mandag tirsdag onsdag torsdag fredag lørdag søndag passer "
        "godt ja nej tage tegningerne klokken muligt behøver kunne skulle venligst kære blive "
        "bliver blev været hende ham sig hvis være lige mange selv undskyld forhånd"
    ),
    "nb": (
        "og å det i en jeg på er som for av med den til ikke har vi et om du kan så de var meg "
        "men fra eller ved skal vil din ditt deg dere oss vår vårt når der her hva hvem hvilken "
        "hvordan hvorfor hei takk mvh vennlig hilsen hilsninger beste gjerne også bare nå da "
        "etter innen under mye mer alle alt noe noen ingen får få gjør gjøre kommer komme sende "
        "sender vedlagt vedlegg faktura fakturaen bestilling levering spørsmål svar møte møtet "
        "morgen dag går uke uken måned neste mandag tirsdag onsdag torsdag fredag lørdag søndag "
        "passer bra ja nei ta tegningene klokken mulig trenger kunne skulle vennligst kjære bli "
        "blir ble vært henne ham seg hvis være akkurat mange selv beklager forhånd hvor fint ut "
        "opp"
    ),
    "fi": (
        "ja on ei se että en hän oli mutta kun niin minun minulle olen olet olemme ovat olla voi "
        "voit voitte voisitko voisitteko voimme tai jos mitä mikä kuka missä milloin miksi miten "
        "kuinka tämä tämän sen sitä siitä niitä ne me te he meille teille sinulle sinun teidän "
        "meidän hei moi terve kiitos kiitoksia terveisin ystävällisin parhain hyvä hyvää päivää "
        "huomenna tänään eilen viikko viikolla kuukausi ensi seuraava kokous tapaaminen lasku "
        "laskun tilaus toimitus kysymys vastaus maanantai maanantaina tiistai tiistaina "
        "keskiviikko keskiviikkona torstai torstaina perjantai perjantaina lauantai sunnuntai "
        "liite liitteenä lähettää lähetän tuoda piirustukset sopii hyvin kyllä vain vielä myös "
        "nyt sitten ennen jälkeen kanssa kaikki paljon enemmän jotain mitään asia asiaa pitää "
        "täytyy haluaisin kello"
    ),
    "hu": (
        "a az és hogy nem is egy ez van meg de ha csak már mint kérem én te mi ti ők ezt azt ami "
        "amit aki akkor most még vagy el ki be fel le lesz volt lenne lehet tudna tudnád tudja "
        "tudom tudok kell szeretném szeretnék szeretnénk kérném kérjük köszönöm köszönjük "
        "köszönettel üdvözlettel üdv szia helló kedves tisztelt jó napot reggelt holnap ma "
        "tegnap hét héten hónap következő jövő találkozó megbeszélés számla számlát rendelés "
        "szállítás kérdés válasz hétfő hétfőn kedd kedden szerda szerdán csütörtök csütörtökön "
        "péntek pénteken szombat vasárnap melléklet mellékelve csatolva küldöm küldeni elküldeni "
        "hozd hozni terveket megfelel nekem neked nekünk önnek önöknek igen jól nagyon mikor hol "
        "miért hogyan melyik mennyi minden valami után előtt óra órakor rendben"
    ),
    "ro": (
        "și de în la a să nu o cu pe pentru este un că din ce mai am vă au sunt dar se care ați "
        "mi ne te le lui sau dacă când unde cum cine cât mă îmi îți vreau aș doresc dorim putem "
        "puteți poți poate pot trebuie avem aveți are fi fost va vor voi mulțumesc mulțumim bună "
        "ziua salut stimate stimată respect stimă toate bine da foarte doar încă deja acum aici "
        "după înainte fără până prin între mâine astăzi azi ieri săptămâna săptămână luna "
        "viitoare ședința întâlnire factura factură comanda comandă livrare întrebare răspuns "
        "luni marți miercuri joi vineri sâmbătă duminică atașat atașament trimit trimite "
        "trimiteți rog aduce aduci planurile convine ora acest această acestea nostru noastră "
        "dumneavoastră tău ta ceva"
    ),
    "tr": (
        "ve bir bu için de da ile ne mi mı çok var olarak daha ama ben sen biz siz o gibi kadar "
        "en her değil olan sonra önce şimdi yok evet hayır lütfen teşekkür teşekkürler ederim "
        "ederiz merhaba selam sayın saygılarımla iyi günler çalışmalar rica misin misiniz "
        "mısınız musun muyum mu mü nasıl nerede neden niçin kim hangi kaç bana sana bize size "
        "onu bunu şu olur olabilir oldu olacak eder etmek yapmak gönderir gönderebilir "
        "getirebilir getirir ekte ekli dosya fatura faturayı sipariş teslimat soru sorum cevap "
        "toplantı yarın bugün dün hafta haftaya ay gelecek pazartesi salı çarşamba perşembe cuma "
        "cumartesi pazar günü uygun saat hala henüz ancak veya ya hem ise diye göre kendi bizim "
        "sizin benim senin istiyorum istiyoruz"
    ),
    "vi": (
        "và của là có cho không được tôi bạn anh chị em một các những này đó với trong để đã sẽ "
        "đang khi thì cũng như từ đến về vào ra lên nếu hay hoặc nhưng vì xin cảm ơn chào kính "
        "gửi thân ạ vui lòng giúp mình chúng ta họ nó gì nào sao đâu ai bao giờ nhiêu mấy hôm "
        "nay mai qua tuần tháng sau trước thứ hai ba tư năm sáu bảy chủ nhật ngày họp cuộc hóa "
        "đơn hàng giao câu hỏi trả lời đính kèm tệp mang theo bản vẽ tiện rồi vâng dạ rất nhiều "
        "hơn thể cần muốn biết làm việc phải nên lại còn chỉ trên dưới xem"
    ),
    "id": (
        "yang dan di untuk dengan ini itu tidak dari saya anda kami kita akan pada ke ada bisa "
        "sudah juga atau dalam adalah apakah apa kapan mana bagaimana kenapa siapa terima kasih "
        "tolong mohon selamat pagi siang sore salam hormat pak bu bapak ibu jika kalau karena "
        "tetapi tapi hanya lebih besok hari kemarin minggu bulan depan rapat faktur pesanan "
        "pengiriman pertanyaan jawaban senin selasa rabu kamis jumat sabtu lampiran terlampir "
        "kirim mengirim membawa gambar cocok ya belum sedang telah harus dapat oleh nya mereka "
        "dia satu dua setelah sebelum jam bagi boleh"
    ),
    "hr": (
        "i je u se na da su za od sam to s što o kao ali ili ako kada gdje kako zašto tko koji "
        "koja koje ne nije biti bih bi smo ste li mi vi ti mogu možete možeš možemo može molim "
        "hvala bok dobar dan pozdrav lijep poštovani poštovana srdačan imam imamo imate treba "
        "trebam želim samo još već također vrlo sutra danas jučer tjedan mjesec sljedeći "
        "sastanak račun narudžba dostava pitanje odgovor ponedjeljak utorak srijeda četvrtak "
        "petak subota nedjelja privitku poslati šaljem donijeti planove odgovara dobro ovaj ova "
        "ovo njegov naš vaš nešto ništa prije poslije"
    ),
    "et": (
        "ja on ei et see ta ma me te ka kui aga mis kes kus millal miks kuidas või oli olen "
        "olete oleme saab saate saad saaksid saaksite palun tänan aitäh tere tervist "
        "lugupidamisega parimate soovidega homme täna eile nädal nädalal kuu järgmine koosolek "
        "arve tellimus tarne küsimus vastus esmaspäev teisipäev kolmapäev neljapäev reede "
        "laupäev pühapäev manus lisatud saata saadan tuua sobib hästi jah mulle teile meile "
        "sulle selle seda siis veel juba väga ainult enne pärast koos kõik midagi pean võib "
        "võiks kas oma üks"
    ),
    "ca": (
        "de la i que el a en per les un amb no una es els del al és si més però com ens hola "
        "gràcies està sisplau plau salutacions quan molt ja aquest aquesta tot també què sobre "
        "hi o meu teva pot pots podria podem vull volem necessito tinc té tenim ha he han ser "
        "fer enviar adjunt factura comanda lliurament pregunta resposta reunió demà avui ahir "
        "setmana mes dilluns dimarts dimecres dijous divendres dissabte diumenge bon dia bona "
        "tarda atentament on quin qui sí bé nosaltres vostè nostre nostra portar plànols va em "
        "hora fins entre sense perquè després abans aquí ara encara alguna cosa"
    ),
}
"""Languages in Latin letters, by ISO 639-1."""

CYRILLIC: Final = {
    "ru": (
        "и в не на я что с он как это по но вы мы за у от так для бы до мне если же то из вас "
        "нас вам нам можно можете можешь может когда где почему кто какой какая сколько уже ещё "
        "еще только очень также или пожалуйста спасибо здравствуйте добрый день привет уважением "
        "уважаемый завтра сегодня вчера неделя неделе месяц следующий встреча встречу счёт счет "
        "заказ доставка вопрос ответ понедельник вторник среда среду четверг пятница пятницу "
        "суббота воскресенье вложение вложении отправить отправлю прислать пришлите взять собой "
        "чертежи подходит да нет хорошо этот эта все всё его её их наш ваш есть быть будет был "
        "была было нужно надо ли при чтобы меня тебя тебе ты она они"
    ),
    "uk": (
        "і в не на я що з він як це по але ви ми за у від так для б до мені якщо ж то із вас нас "
        "вам нам можна можете можеш може коли де чому хто який яка скільки вже ще тільки дуже "
        "також або будь ласка дякую дякуємо вітаю добрий день доброго дня привіт повагою "
        "шановний завтра сьогодні вчора тиждень тижні місяць наступний зустріч рахунок "
        "замовлення доставка питання запитання відповідь понеділок вівторок середа середу четвер "
        "п'ятниця п'ятницю субота неділя вкладення надіслати надішліть взяти собою креслення "
        "підходить ні добре цей ця все його її їх наш ваш є бути буде був була було потрібно "
        "треба чи при щоб мене тебе тобі ти вона вони та й про після перед"
    ),
    "bg": (
        "и в не на аз че с той като това по но вие ние за у от да се са си ще е съм сте сме до "
        "ми ако то ви ни мога можете можеш може кога къде защо кой коя какво колко вече още само "
        "много също или моля благодаря здравейте добър ден здравей поздрави уважение уважаеми "
        "утре днес вчера седмица месец следващата среща срещата фактура фактурата поръчка "
        "доставка въпрос отговор понеделник вторник сряда четвъртък петък събота неделя прикачен "
        "файл изпратя изпратите донесете донесеш чертежите устройва добре този тази всичко "
        "неговия нашия вашия има бъде беше трябва дали при мен теб ти тя те след преди със във ли"
    ),
}
"""Languages in Cyrillic letters."""
