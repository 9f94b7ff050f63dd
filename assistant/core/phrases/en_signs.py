"""English phrases of circulars, sales, bait and orders; the notation is in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

SIGNS: Final[Pack] = {
    Kind.BULK: """
        ^ unsubscribe privacy|contact|manage|preferences|update|view|terms|report|forward|change|
        modify|subscribe|or|and|at|any / to opt out
        opt out of ... mails|mailings|list|future|further|receiving|emails
        opt out here|by|at|link|click / to unsubscribe
        unsubscribe here|from|link|at|by|click|instantly|below|now|options|at
        be|been|get|yourself|or removed|remove|deleted from ... list|mailing|database|mailings|
        lists|email|emails / remove|removal from|instructions ... list|mailing? / to be removed
        leave this list / no longer wish|want to receive
        not wish|want to? receive ... further|future|any|these|our|more|mail / stop receiving
        receiving this|these e? mail|email|message|newsletter|mailing|emails because|as|since
        mailing list ... removed|remove / you are receiving this / sent to you because
    """,
    Kind.PROMO: """
        opt|opting out|outs / all rights reserved / privacy policy / forward to a friend
        view ... in your|a browser
        manage|update|change your ... preferences|subscription|profile
        click|clicking here|below|the|on|this ... link|button|unsubscribe|remove?
        100% free|guaranteed|satisfaction / absolutely|completely|totally free
        free trial|sample|quote|shipping|gift|report|cd|info|information|access|membership|
        download|offer|money|consultation|bonus|website|tour / money back|back guarantee
        act now|today|fast|immediately / order now|today|yours|here|online / call now|today|toll
        toll free / buy now|direct|online|today / limited time|offer|quantity|supply
        special offer|promotion|discount|price / lowest|low|best rates|price|prices|rate
        save up|big|money|thousands|hundreds|$|over|$* / risk free
        no obligation|risk|cost|fees|gimmicks|catch|hassle|experience|prescription|credit|
        questions / credit card|cards|report|repair|score|history / debt|debts
        mortgage|refinance|refinancing / life|auto|health insurance
        earn|make|making $|money|cash|up|thousands|extra|big|over / work from|at home
        home based business / financial freedom|independence / get|become|be rich|out|paid|your
        lose weight|pounds|lbs|inches / weight loss
        viagra|cialis|pills|penis|enlargement|erection|xxx|porn|sex|sexy|adult|nude|webcam|casino|
        gambling|jackpot / hot girls|singles|stock / meet singles|other|local|hot
        online pharmacy|casino|dating / investment opportunity / business opportunity
        multi level / chain letter / as seen on / click below|here|now
        visit our|us|the|my website|web|site|at|online|today? / dear homeowner|member|investor
        once in a lifetime / don't miss|delete|wait
        amazing|incredible|unbelievable offer|deal|results|product|opportunity|price
        join now|today|free|millions / sign up now|today|free|for / bulk email|mail
        millions of people|dollars|email / double|triple your
        new customers|product|products|improved / hurry|congratulations
        wholesale|discounted|discount / why pay|spend more / your family protected|insurance / adv
        offshore|tax haven|free / strictly confidential / urgent assistance / business proposal
        next of kin / transfer|sum of ... funds|money|fund|million
    """,
    Kind.SALES: """
        quick call|chat|demo|intro / 15|10|20|30|fifteen|ten|twenty|thirty minute|minutes|min|mins
        book|schedule|set a|up|an quick|short|brief|free|a demo|call|meeting|consultation|chat|
        time / free|no|without obligation|demo|trial|consultation|audit|quote|strings|cost
        right|best|appropriate|correct person to|for|who|at / point me to|in|towards
        who|whom should|would|is i|be|the talk|speak|contact|best|right
        open to a|learning|exploring|chatting|discussing|hearing|seeing|connecting
        worth a|exploring chat|call|conversation|look
        if you're|you|are not the? interested|right / if this isn't|is|not relevant|for / opt out
        let me know if you're|you|are not? interested
        our clients|platform|software|solution|product|service|team|tool|company ... help|helps|
        see|have|saved|offers|allows|can|provides|enables / limited time|offer|spots
        special|exclusive offer|discount|price|pricing|deal
        affordable|competitive price*|rate*|pricing
        our|my previous|last|earlier email|mail|message|note / return on investment
        case study|studies / data|email|contact list|database|lists of / pain point* / touch base
        circle back / bumping|bump this|my / reaching out because|to|as|since|about
        my name is _ _? and|from|with|i
    """,
    Kind.PITCH: """
        came|stumbled across|upon your company|website|profile|site|business|page|work|firm|store|
        shop|linkedin|channel|blog|practice
        i|we noticed|saw|found|visited|see|checked|looked you|your ... website|company|site|
        profile|store|page|business|team|hiring|online
        we help|work|partner|specialize|specialise|assist|provide|offer with|in|companies|
        businesses|organizations|teams|firms|clients|brands|agencies|your|you|startups|solutions|
        services _
        companies|businesses|firms|brands|teams|organizations|practices|agencies like yours|your
        increase|boost|grow|double|triple|skyrocket|improve|maximize|scale your revenue|sales|
        traffic|leads|conversion*|ranking*|business|roi|pipeline|visibility|bookings|profits|
        customers / lead|demand generation
        qualified|new|more|warm|targeted|quality leads|meetings|clients|customers|appointments|
        prospects / search engine / first|top page|of google|results / guest post|blog|article
        backlink* / seo services|expert*|agency|audit|packages|company
        link building|exchange|insertion / web|app design|development services|company|agency
        outsourc* your|to|company / offshore team|developers|development
    """,
    Kind.BAIT: """
        account|mailbox|access|card|profile|service|subscription|email|domain|password|storage ...
        + has|have|will|is|was|be|been ... suspended|suspend|blocked|locked|limited|restricted|
        disabled|deactivated|terminated|closed|deleted|expired|expire|expiring|compromised|hacked|
        exceeded
        avoid|prevent|stop ... suspension|termination|closure|deactivation|interruption|loss|
        losing|deletion|being|blocked
        unusual|suspicious|unauthori* activity|login|sign|access|transaction|attempt
        exceeded|exceeds ... limit|quota
        you|u have|'ve|ve|are|were|been? won|selected|chosen|winner|lucky|awarded / lottery
        inheritance / next of kin / million|billion dollars|usd|euros|pounds|us
        unclaimed|abandoned|dormant funds|fund|account|estate|inheritance|sum / beneficiary
        tax refund / refund of|is|due|pending|has
        compromising|embarrassing|intimate|explicit video|photos|material|footage|images|pictures
        recorded you|u|your / hacked your|into|you
        confidential business|transaction|deal|proposal / failed to deliver|verify
        could not be delivered until|unless|because
        pending messages|mails|emails|delivery|package / legal action|proceedings will|against
        warrant for / late|diplomat|prince|barrister ... died|late|fund
        i|we have|'ve|ve full? access|control to|of|over your
        your device|computer|system ... infected|compromised|hacked
        held|on hold|pending ... package|parcel|shipment
        package|parcel|shipment ... held|withheld|pending|undelivered
        package|parcel|shipment ... on hold
        package|parcel|shipment ... customs fee|fees|charge|clearance
    """,
    Kind.CREDENTIAL: """
        verify|confirm|validate|update|re-verify|reconfirm|authenticate|restore|reactivate|
        upgrade|revalidate|unlock your ... account|identity|password|mailbox|information|details|
        credentials|email|access|login|billing|payment|profile|records|data|e-mail|card
        enter|entering|provide|submit|send|reply|confirm|input|fill ... your ... password|
        username|pin|credentials|login|card|ssn|social|bank
        log|sign|login|logging|signing in|on? here|below|now|to|at|via ... avoid|verify|confirm|
        restore|continue|unlock|secure|keep|release|view|read|link|account
        click|clicking|follow|tap here|below|the|on|this ... verify|confirm|restore|update|link|
        avoid|keep|release|unlock|secure|login|log|claim|reactivate|button
        user name|username|id and password / one time code|password|passcode
        security|verification code|codes / your bank account|details|card
        list|send|share|include ... every|all|any code|codes|password|passwords|credentials
    """,
    Kind.PAYMENT: """
        gift|itunes|amazon|steam|google|play card|cards
        wire|bank transfer|wire the|to|of|money|funds|a|today|immediately
        bitcoin|btc|usdt|ethereum|monero|cryptocurrency / crypto wallet|payment|currency|coins
        new|changed|updated|different|change|changes|update bank|banking|account|payment|wire|of|
        in|to|the|our ... details|information|account|instructions|number / western union
        moneygram
        processing|clearance|handling|delivery|customs|transfer|release fee|fees|charge
        advance fee / pay the? attached|invoice|following|this|fee|now|today
        transfer|send|pay ... dollars|euros|usd|eur|amount|funds|money
        make|process|handle|arrange a|the|an ... payment|transfer|wire
        scratch ... back|codes|off / send|share|text me ... codes|pictures|photo|pics
    """,
    Kind.PRESSURE: """
        within|in|next the? next? 24|48|72|12|2|two|few|twenty hours|hrs|hour|h|four|days
        immediately / urgent / urgently / right away / asap / today
        final|last notice|warning|reminder|chance / as soon as possible / failure to|do
        otherwise your|you|we|it / act now|fast|immediately / before it's|is too late
        expires|expire|expiring today|soon|in|on
        keep this|it confidential|secret|between|private|to|quiet
        don't|do not tell|discuss|call|mention|share|inform ... anyone|anybody|me|others
        i'm|am in a meeting|conference / can't|cannot talk|take|call|speak|receive
        strictly|highly confidential
        permanently|forever deleted|closed|disabled|lost|lose|suspended|locked
        immediate action|attention
    """,
    Kind.GENERIC: """
        ^ dear valued? customer|user|client|member|sir|madam|friend|beneficiary|account|email|
        webmail|subscriber|beloved|winner|owner|colleague|employee / ^ attention
        it|mail|web help|support|admin desk|team|department|center
        account team|department|security|services|holder / ^ greetings
        ^ system|mail|webmail administrator|admin|team
    """,
    Kind.INJECTION: """
        ignore|disregard|forget|override|bypass|skip all|any|the|your|my|every|and? of? all|any|
        other|the? previous|prior|above|earlier|preceding|existing|original|system|former ...
        + instruction*|prompt*|rule*|direction*|guideline*|command*
        ignore|disregard|forget everything|all|what ... above|before|previously|told|said|
        instructed
        you|u are|r now a|an|in|my|the ... assistant|mode|ai|bot|agent|model|chatbot|dan
        act|behave as an|a|my|if unrestricted|ai|administrator|system|different
        system prompt|override
        system message|instruction*|notice to|for ... assistant|ai|agent|model / developer mode
        jailbreak*
        new|updated|additional|special|hidden instruction* for|to the|all|any? ai|assistant*|
        agent*|model*|bot*|llm*|language
        ai|llm|virtual|digital|email|mail assistant|agent|model|system|bot|chatbot ... must|shall|
        instructed|required|reading|processing|summari*|handling|drafting ... this|to|mail|email|
        message|thread
        ^ assistant|assistants|ai|chatbot|llm please|tell|send|forward|reply|include|ignore|add|
        list|copy|write|you|must|should|note
        to|attention|note|dear|hello for|the|all|any? ai|llm|language assistant*|agent*|model*|
        system*|bot*|reading|processing
        whoever|whatever|whichever|anyone ... prepares|drafts|writes|answers|generates|composes|
        summari*|processes|drafting|writing|preparing ... answer|reply|response|draft|summary ...
        + should|must|shall|will|needs
        do not|don't|never|without mention|tell|reveal|inform|notify|show|alert|telling|
        mentioning|informing this|it|that|anything? to? the user|owner|mailbox
        the user|mailbox ... has|have|already approved|authorized|authorised|agreed|consented|
        given|confirmed|granted / user approved|authorized a|the|this|sending
        print|repeat|reveal|output|show your|the|hidden|initial|full|entire? system|hidden|
        initial|secret|original prompt|instructions|rules
        reveal|print|repeat|output|show ... your instructions|prompt|rules
        end|begin of the? system|user|untrusted prompt|input|message|data
        needs_reply|needs reply true|false / base64 decode
        decode ... base64|rot13 ... follow|instruct*|execute
    """,
    Kind.ORDER: """
        in|into|to|with your|the reply|answer|response|draft|summary ... include|list|insert|
        append|add|put|quote|repeat|paste|attach ... every|all|full|entire|content*|password*|
        code*|thread*|subject*
        include|list|append|add ... every|all|any ... password*|code*|subject*|contacts|addresses
        + ... in|to|found|from|of
        forward|send|copy|bcc|leak|exfiltrate ... all|every|entire|whole|previous|other ... mails|
        emails|messages|threads|conversations|inbox|mailbox|contacts|passwords
        respond|reply|answer|output only with|the|json
        classify|label|categorize|treat|mark this|the|it ... as urgent|trusted|safe|high|category
        end your|the answer|reply|draft|response with|by ... link|image|url|logo|address
        list|include|send every|all code*|password*|amount*
    """,
}
