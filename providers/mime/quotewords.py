"""The words by which mail programs announce what they quote, in many languages.

Tables only, no logic: ``intros`` and ``signatures`` read them. They list what programs write by
themselves (Gmail, Apple Mail, Outlook, Thunderbird, Yahoo, phones), so that a person's own
sentence, which is rarely worded like that, is never mistaken for it. The entries are
separated by semicolons and casefolded; look-ups do the same to what they look up. A word that is
missing here only leaves a quotation in the text; it never loses an author's words.
"""

from __future__ import annotations

from typing import Final

WROTE: Final = (
    "quoting;zitat von;citando;citando a;citazione di;citerar;citat från;citat fra;citát od;"
    "cytowanie;цитирую;wrote;writes;has written;"
    "schrieb;geschrieben;schreibt;a écrit;a ecrit;ha escrito;"
    "escribió;escribio;ha scritto;ha escrit;va escriure;escreveu;schreef;geschreven;napisał;"
    "napisała;napisał(a);napisał/a;napisał(-a);napisała/napisał;napisana przez;pisze;написал;"
    "написала;написал(а);написал(-а);пишет;писал;писал(а);пише;написав;написав(ла);"
    "написав/ла;написав(-ла);napsal;napsala;napsal(a);napísal;napísala;napísal(a);skrev;"
    "skrev följande;skrev følgende;kirjoitti;írta;írta a következőt;a scris;"
    "a scris următoarele;yazdı;şunları yazdı;şunu yazdı;yazmış;έγραψε;έγραψε/αν;γράφει;"
    "написа;написа следното;đã viết;viết;menulis;כתב;כתבה;כתב/ה;כתב(ה);מאת;كتب;كتبت;كتب/كتبت;"
    "تمت كتابة ما يلي;نوشت;napisao;napisala;napisao je;napisao/la;napisao(la);написао;"
    "написао/ла;је написао/ла;je napisal;kirjutas;rašė;parašė;rakstīja;skrifaði;missatge de;"
    "idatzi zuen;ने लिखा;เขียนว่า;เขียน"
)
"""What the quoted one did, set off by spaces or punctuation."""

WROTE_UNSPACED: Final = (
    "写道;寫道;写到;写信说;님이 작성;님이 씀;님의 말;작성;쓴 글;이(가) 쓴;書きました;書いた;"
    "のメール;のメッセージ;さんは"
)
"""The same in scripts that write no spaces around it."""

INTRO_STARTS: Final = (
    "on;at;am;le;el;il;em;no dia;a;op;dnia;w dniu;wiadomość napisana przez;dne;dňa;den;d.;"
    "in a message dated;în;pe;la data de;στις;την;на;в;vào;ngày;lúc;pada;בתאריך;ב;في;"
    "در تاریخ;در;ใน;เมื่อ;kuupäev;missatge de;v;u;dana;在;於;于;il giorno;em data;zo;die;"
    "þann;dia"
)
"""How an introduction begins, where it does not begin with a day, a date or a name."""

DAYS: Final = (
    "mon;tue;tues;wed;thu;thur;thurs;fri;sat;sun;monday;tuesday;wednesday;thursday;friday;"
    "saturday;sunday;mo;di;mi;do;fr;sa;so;montag;dienstag;mittwoch;donnerstag;freitag;"
    "samstag;sonntag;lun;mar;mer;jeu;ven;sam;dim;lundi;mardi;mercredi;jeudi;vendredi;samedi;"
    "dimanche;mié;jue;vie;sáb;dom;lunes;martes;miércoles;jueves;viernes;sábado;domingo;gio;"
    "sab;lunedì;martedì;mercoledì;giovedì;venerdì;sabato;domenica;seg;ter;qua;qui;sex;"
    "segunda;terça;quarta;quinta;sexta;ma;wo;vr;za;zo;maandag;dinsdag;woensdag;donderdag;"
    "vrijdag;zaterdag;zondag;pon;wt;śr;czw;pt;sob;niedz;nd;poniedziałek;wtorek;środa;"
    "czwartek;piątek;sobota;niedziela;пн;вт;ср;чт;пт;сб;вс;нд;понедельник;вторник;среда;"
    "четверг;пятница;суббота;воскресенье;понеділок;вівторок;середа;четвер;пʼятниця;п'ятниця;"
    "субота;неділя;po;út;st;čt;pá;ne;pondělí;úterý;středa;čtvrtek;pátek;neděle;ut;št;pi;mån;"
    "tis;ons;tors;fre;lör;sön;måndag;tisdag;onsdag;torsdag;fredag;lördag;söndag;man;tir;tirs;"
    "lør;søn;mandag;tirsdag;lørdag;søndag;ti;ke;to;pe;la;su;maanantai;tiistai;keskiviikko;"
    "torstai;perjantai;lauantai;sunnuntai;joi;vin;sâm;dum;miercuri;vineri;duminică;pzt;sal;"
    "çar;per;cum;cmt;paz;pazartesi;salı;çarşamba;perşembe;cuma;cumartesi;pazar;δευ;τρί;τρι;"
    "τετ;πέμ;πεμ;παρ;σάβ;σαβ;κυρ;sri;čet;pet;ned;uto;sre;tor"
)
"""Names of days, short and long, as they begin an introduction."""

FIRST_PERSON: Final = "aku;ich;ik;jag;jeg;jsem;saya;som;tôi;we;я;אני"
"""A sentence with one of these is the author's own, however much it looks like an introduction."""

CONJUNCTIONS: Final = (
    "as;like;what;when;because;since;and;but;so;here;this;that;who;wie;was;weil;denn;und;aber;hier;"
    "comme;ce;ceci;voici;como;lo;esto;come;quello;zoals;wat;jak;jako;co;как;то;что;як;що;så;som;"
    "kuten;ahogy;cum;ceea;όπως;както;正如;如;如同"
)
"""First words that make of "X wrote:" a sentence of the author."""

ORIGINAL: Final = (
    "original message;original email;original e-mail;original;reply message;reply;"
    "ursprüngliche nachricht;originalnachricht;original-nachricht;originalmeldung;"
    "message d'origine;message original;message initial;message d’origine;courriel original;"
    "mensaje original;mensaje de origen;messaggio originale;messaggio original;"
    "mensagem original;oorspronkelijk bericht;origineel bericht;oorspronkelijke bericht;"
    "wiadomość oryginalna;oryginalna wiadomość;treść oryginalnej wiadomości;"
    "original wiadomość;исходное сообщение;оригинальное сообщение;первоначальное сообщение;"
    "исходное письмо;оригинал сообщения;вихідне повідомлення;оригінальне повідомлення;"
    "початкове повідомлення;оригінал повідомлення;původní zpráva;původní e-mail;"
    "pôvodná správa;originalmeddelande;ursprungligt meddelande;ursprungsmeddelande;"
    "ursprungligt mail;originalt meddelande;oprindelig meddelelse;original meddelelse;"
    "den oprindelige meddelelse;oprindelig besked;opprinnelig melding;originalmelding;"
    "opprinnelig e-post;alkuperäinen viesti;alkuperäinen sähköposti;eredeti üzenet;"
    "eredeti levél;eredeti e-mail;mesajul original;mesaj original;mesajul inițial;"
    "orijinal mesaj;özgün ileti;özgün mesaj;orijinal ileti;asıl ileti;αρχικό μήνυμα;"
    "πρωτότυπο μήνυμα;оригинално съобщение;оригинално писмо;първоначално съобщение;原始邮件;"
    "原始郵件;原邮件;邮件原件;原始消息;原始訊息;原件;元のメッセージ;元のメール;オリジナルメッセージ;"
    "원본 메시지;원본 메일;원본 이메일;원래 메시지;tin nhắn gốc;thư gốc;pesan asli;"
    "pesan awal;הודעה מקורית;ההודעה המקורית;الرسالة الأصلية;رسالة أصلية;پیام اصلی;"
    "izvorna poruka;originalna poruka;izvirno sporočilo;оригинална порука;missatge original;"
    "algne kiri;originaalsõnum;pradinis laiškas;sākotnējais ziņojums;upprunaleg skilaboð;"
    "ข้อความต้นฉบับ"
)
"""What stands between dashes above the message that is answered."""

FORWARDED: Final = (
    "forwarded message;forwarded email;forwarded e-mail;begin forwarded message;"
    "start of forwarded message;begin forwarded text;forwarded by;forwarded;fwd;"
    "weitergeleitete nachricht;"
    "anfang der weitergeleiteten nachricht;beginn der weitergeleiteten nachricht;"
    "weitergeleitete e-mail;message transféré;message transmis;message réexpédié;"
    "courriel transféré;début du message réexpédié;début du message transféré;"
    "mensaje reenviado;inicio del mensaje reenviado;mensaje transferido;messaggio inoltrato;"
    "inizio messaggio inoltrato;inizio del messaggio inoltrato;mensagem encaminhada;"
    "mensagem reencaminhada;início da mensagem encaminhada;início da mensagem reencaminhada;"
    "doorgestuurd bericht;begin doorgestuurd bericht;doorgezonden bericht;"
    "wiadomość przekazana;przekazana wiadomość;wiadomość przesłana dalej;"
    "treść przekazanej wiadomości;początek przekazywanej wiadomości;"
    "początek przekazanej wiadomości;пересылаемое сообщение;пересланное сообщение;"
    "перенаправленное сообщение;переадресованное сообщение;"
    "начало переадресованного сообщения;начало переадресованного письма;пересылаемое письмо;"
    "переслане повідомлення;переспрямоване повідомлення;перенаправлене повідомлення;"
    "початок листа, що пересилається;початок переадресованого повідомлення;přeposlaná zpráva;"
    "předaná zpráva;začátek přeposílané zprávy;začátek předávané zprávy;preposlaná správa;"
    "začiatok preposlanej správy;vidarebefordrat meddelande;vidarebefordrat mejl;"
    "vidarebefordrat brev;vidarebefordrat mail;början på vidarebefordrat brev;"
    "videresendt meddelelse;videresendt besked;videresendt mail;start på videresendt besked;"
    "begynd videresendt besked;videresendt melding;videresendt e-post;"
    "start på videresendt melding;begynnelse på videresendt melding;edelleenlähetetty viesti;"
    "välitetty viesti;välitetty viesti / fwd.msg;välitetty viesti alkaa;továbbított üzenet;"
    "továbbított levél;továbbított levél kezdete;továbbított üzenet kezdete;"
    "mesaj redirecționat;mesaj redirecţionat;mesaj retrimis;începe mesajul redirecționat;"
    "mesaj înaintat;iletilmiş mesaj;iletilen ileti;yönlendirilen ileti;yönlendirilen mesaj;"
    "iletilen mesaj;yönlendirilmiş ileti;ileti başlangıcı;προωθημένο μήνυμα;"
    "μήνυμα προωθήθηκε;αρχή προωθημένου μηνύματος;препратено съобщение;препратено писмо;"
    "转发的邮件;转发邮件;转发邮件信息;以下是转发的邮件;轉寄郵件;轉寄的郵件;轉寄的訊息;"
    "已轉寄郵件;以下是轉寄的郵件;開始轉寄郵件;转发的消息;已转发邮件;転送されたメッセージ;"
    "転送メッセージ;転送メール;転送されたメール;次のメッセージを転送します;전달된 메시지;"
    "전달된 메일;전달한 메시지;전달받은 메시지;다음은 전달받은 메시지;thư chuyển tiếp;"
    "thư được chuyển tiếp;tin nhắn đã chuyển tiếp;tin nhắn được chuyển tiếp;pesan terusan;"
    "pesan yang diteruskan;mulai pesan yang diteruskan;הודעה שהועברה;הודעה מועברת;"
    "תחילת ההודעה שהועברה;رسالة معاد توجيهها;رسالة محولة;الرسالة المعاد توجيهها;"
    "بداية الرسالة المعاد توجيهها;رسالة مُمرّرة;پیام هدایت‌شده;پیام ارسال شده;"
    "proslijeđena poruka;započni proslijeđenu poruku;posredovano sporočilo;прослеђена порука;"
    "missatge reenviat;edastatud kiri;edastatud sõnum;persiųstas laiškas;"
    "persiunčiamas laiškas;pārsūtīts ziņojums;framsend skilaboð;ข้อความที่ถูกส่งต่อ"
)
"""What stands between dashes, or alone before a colon, above a message that is passed on."""

LABELS: Final = {
    "from": (
        "from;von;de;da;van;od;od koho;от;от кого;від;від кого;fra;från;lähettäjä;feladó;"
        "küldő;expeditor;expeditorul;de la;kimden;gönderen;από;发件人;寄件者;寄件人;發件人;"
        "差出人;送信者;送信元;보낸 사람;보낸사람;발신;từ;người gửi;dari;pengirim;מאת;من;از;"
        "mittente;nadawca;remitente;expéditeur;absender;afzender;šalje;saatja;avsändare;"
        "отправитель;відправник;подател;αποστολέας;nuo;no;prima;š;odesílatel;odosielateľ;"
        "pošiljatelj;จาก;frá;remetente;шаље"
    ),
    "sent": (
        "sent;gesendet;gesendet am;envoyé;envoyé le;enviado;enviado el;enviada;enviado em;"
        "enviada em;enviada el;inviato;inviato il;verzonden;verzonden op;wysłano;wysłane;"
        "data wysłania;отправлено;дата отправки;надіслано;відправлено;дата надсилання;"
        "odesláno;odoslané;skickat;sendt;lähetetty;elküldve;küldve;trimis;gönderildi;"
        "gönderilme;gönderim zamanı;gönderme tarihi;στάλθηκε;εστάλη;απεστάλη;изпратено;"
        "发送时间;发送日期;寄件日期;傳送時間;發送時間;送信日時;送信日;보낸 날짜;보낸날짜;"
        "전송 날짜;đã gửi;ngày gửi;gửi lúc;terkirim;dikirim;נשלח;بتاريخ;تاريخ الإرسال;"
        "تم الإرسال;أرسلت;مرسل;ارسال شده;poslano;poslato;послато;saadetud;išsiųsta;nosūtīts;"
        "ส่ง;ส่งเมื่อ;sent at;sent on;sendt den"
    ),
    "date": (
        "date;datum;fecha;data;dato;дата;päiväys;päivämäärä;päivä;dátum;dată;tarih;"
        "ημερομηνία;日期;时间;時間;日付;日時;날짜;ngày;tanggal;תאריך;التاريخ;تاریخ;kuupäev;"
        "วันที่;dags;date et heure;datums"
    ),
    "to": (
        "to;an;à;a;para;aan;do;кому;komu;til;till;vastaanottaja;címzett;către;pentru;kime;"
        "alıcı;προς;収信者;收件人;收件者;收信人;宛先;받는 사람;받는사람;수신;đến;tới;"
        "người nhận;kepada;ke;אל;إلى;به;destinatario;destinatário;destinataire;pour;adresat;"
        "pre;za;empfänger;destinatarul;получател;до;получатель;одержувач;saaja;kam;ถึง;"
        "geadresseerde;mottagare;modtager;mottaker;per;ontvanger"
    ),
    "cc": (
        "cc;kopie;kopia;copie;copia;kopi;dw;копия;копія;kopio;másolat;bilgi;κοιν;κοιν.;"
        "κοινοποίηση;抄送;副本;참조;đồng gửi;tembusan;עותק;نسخة;kópia;cópia;с копие до;"
        "cc-kopie;kopija;koopia;สำเนา;bcc;ccn;cci;cco;udw;gizli"
    ),
    "subject": (
        "subject;betreff;betr;betr.;objet;sujet;asunto;oggetto;assunto;onderwerp;temat;тема;"
        "předmět;predmet;ämne;emne;aihe;tárgy;subiect;subiectul;konu;θέμα;主题;主題;主旨;"
        "标题;件名;제목;chủ đề;tiêu đề;subjek;perihal;judul;נושא;הנדון;الموضوع;موضوع;naslov;"
        "относно;teema;tema;zadeva;наслов;เรื่อง;efni;assumpte"
    ),
    "other": (
        "importance;wichtigkeit;priority;priorität;priorité;prioridad;prioridade;priorità;"
        "prioriteit;attachments;attachment;anlagen;anhang;pièces jointes;datos adjuntos;"
        "anexos;allegati;bijlagen;załączniki;вложения;вкладення;přílohy;bilagor;"
        "vedhæftede filer;liitteet;mellékletek;ekler;συνημμένα;附件;添付ファイル;첨부 파일;"
        "reply-to;reply to;antwort an;répondre à;organization;organisation;sensitivity;"
        "categories;sender;newsgroups"
    ),
}
"""Labels of a quoted header block by what they name."""

RAW_LABELS: Final = (
    "authentication-results;content-type;delivered-to;dkim-signature;message-id;mime-version;"
    "received;return-path;x-mailer;x-spam-status"
)
"""Labels that no mail program quotes: a block with one is headers that a person pasted."""

REPLY_PREFIXES: Final = (
    "antw;antwort;atb;ats;aw;balas;bls;ha;hồi đáp;odg;odp;r;re;ref;res;rif;sv;svar;trả lời;"
    "vast;vs;vá;yanıt;ynt;αντ;απ;σχετ;відп;на;одг;отв;ответ;ответить;השב;תגובה;رد;回复;回覆;"
    "答复;答覆;返信;답장;회신"
)
"""First words of the subject of an answer, before its colon."""

FORWARD_PREFIXES: Final = (
    "chuyển tiếp;doorst;dst;edasi;enc;fw;fwd;i;ilet;ilt;i̇lt;pd;persiųsti;posr;prep;prosl;"
    "pārs;přep;redir;reenviado;rv;tb;továbbítás;tr;transféré;trs;vb;videresend;videresendt;"
    "vl;vs;välitetty;weitergeleitet;wg;πρθ;προωθ;пер;перес;пересл;препр;הועבר;إعادة توجيه;"
    "転送;轉寄;轉發;转发;전달"
)
"""First words of the subject of a mail that is passed on, before its colon."""

ANSWER_WORDS: Final = (
    "agreed;ano;da;done;ei;evet;fine;hayır;igen;ja;kyllä;ne;nee;nei;nein;nej;nem;nie;no;non;"
    "nu;não;ok;okay;oui;si;sim;sure;sí;tak;yes;ναι;όχι;да;нет;ні;так"
)
"""Words with which an answer between quoted lines may begin in lower case."""
