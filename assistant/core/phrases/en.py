"""English phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.en_signs import SIGNS
from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|tues|wed|thu|thur|thurs|fri"
)
_MONTH: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
)
_ORDINAL: Final = "1st|2nd|3rd|21st|22nd|23rd|31st|" + "|".join(f"{day}th" for day in range(4, 31))
_SEND: Final = (
    "send|email|mail|fax|forward|provide|give|get|tell|show|resend|drop|bring|furnish|supply"
)
_REPLY: Final = (
    "confirm|reply|respond|answer|advise|comment|specify|clarify|indicate|suggest|rsvp|"
    "acknowledge|explain|weigh|decide|choose|approve"
)
_LOOK: Final = "review|check|verify|look|sign|countersign|return|call|ring|phone|contact|update"

PACK: Final[Pack] = {
    **SIGNS,
    Kind.REQUEST: f"""
        and|& send|return|mail|fax|forward|give it|them|this|that back
        and|& send|return|mail|fax|forward|give it|them|this|that over? to me|us
        please|pls accept|decline|propose it|the|or|another / ^ propose|suggest another|a|an|some
        run|bounce it|this|something|that|them by|past|off you
        we need|have|should to? talk|speak|discuss
        drop|stop|come|swing by my|the office|desk|place? / love|like to have you
        what would|do you like|prefer|suggest|recommend|propose|think
        would|'d like|want a|an|my refund|replacement|copy|quote|quotation|estimate|appointment|
        table|receipt|reservation|price|catalog|catalogue|brochure
        mean a lot|much|the to? ... if you
        would be honoured|honored|delighted|thrilled|over to|if / ^ would like to _
        return|fax|mail it|them|this|form ... to me|us / please|pls|kindly fill out|in
        you were|was going|supposed|meant to send|give|let|call|get|confirm|check|provide|tell
        you said|promised|agreed|offered you|to ... send|give|let|call|get|confirm|check|provide
        feedback|comments|suggestions|thoughts|input you have|may|might|is|are
        for your signature|approval|comment|comments|sign / love|like to interview|invite you
        wanted|want|trying to see|find|check if|whether|out ... you|u
        still missing|need|waiting|lack ... your / i|we don't|haven't have|seen|got your
        please|pls|kindly choose|pick|select|vote|complete|fill|sign ... and|by|before ... return|
        send|let|mail|fax|forward? / can|could|would|will|won't you|u / can|could|would you please
        could|would we please
        can|could|may i|we|someone ... have|get|ask|see|borrow|use|trouble|bother
        can|could|may i|we please
        can|could|shall|should|may we meet|talk|discuss|move|set|do|push
        let me|us|her|him|them know / let me|us hear / keep me|us posted|updated / please advise
        pls advise / please|pls|kindly let / advise if|whether|when|how|what
        please|pls|plz|kindly also? {_SEND} me|us|him|her|them|it|your|the|a|an|any|all|copies|
        over / please|pls|plz|kindly also? {_REPLY}
        please|pls|kindly call|phone|ring|email me|us
        please|pls|kindly also? {_LOOK} ... and|& {_REPLY}|let|{_SEND}|tell
        please|pls|kindly get|come|write back / get back to|with me|us
        please|pls|kindly ... let me|us know / please|pls see|check|ask if|whether|what
        please|pls|kindly have your|a look|someone / please|pls take a look / ^ rsvp / please rsvp
        rsvp by|to|before|no / ^ {_SEND}|call me|us / ^ call me / ^ ask _ to
        give|shoot|drop me|us a|an quick? call|line|email|note|ring|buzz|message
        ^ confirm if|that|whether|receipt|your / i|we need|want|expect|require you|u to
        i|we still|really|also|do? need|require your|ur / need your / need you to
        need everyone's|everybody's|everyone|everybody ... by|before|to / need ... from you
        i|we need to know|hear
        i|we need the|these|this|those|it|them|all|both ... by|before|from|back
        waiting on|for you|your / await|awaiting your / i|we await
        we|i still? don't|do not have your
        haven't|have not|not|never yet? received|gotten|got|seen your / would|do you mind
        if you don't|wouldn't mind / if you do|would not mind
        i|we would|'d|d? really|greatly|very|much? appreciate ... your|you|if|it|any|a|the
        would|'d|d love your / any|your feedback|help|comments|input ... appreciated
        appreciated if you
        i|we would|'d|d|should be grateful|glad|happy|obliged|interested|honoured|honored|
        delighted|pleased|thrilled if|for|in
        would be great|nice|helpful|good|appreciated if|to? you|u|we|know|have|get|hear?
        i|we would|'d|d love|like ... to hear|know|meet|schedule|arrange|discuss|talk|visit|get|
        set|come|buy|book|order|join|apply|rent|attend|interview|invite
        i|we would|'d|d like|want for? you|your ... to|on|about|for|comments|input|help
        could|can use your / i|we was|am|'m|were|are|'re hoping you|to|that|for
        any chance you|we|of|to / is there any|a chance|way you|we|i
        your thoughts|feedback|comments|input|opinion|view|views|take on|about|regarding|please|
        would
        your approval|decision|answer|reply|response|confirmation|signature|permission|consent ...
        + by|before|is|as|to|would|on|please
        ^ any thoughts|ideas|comments|feedback|preference|suggestions|objections|luck|news|update|
        updates|word|progress / ^ thoughts|rsvp|ok|okay with|on|for|by
        at your earliest? convenience
        look|looking forward to hearing|your|you ... from|response|reply|answer|thoughts|feedback|
        comments|confirmation|decision / hope|hoping to hear from / heard|hear back from you
        haven't|not|never ... heard from you / please|pls|kindly have|get|ask him|her|them
        without your / subject to your approval|consent
        before i|we go|proceed|do|can|respond|reply|answer|sign|send ... need|want
        ^ did|do|have|has|are|is|were|was|will|would|should you|u|ya ... have|need|want|know|
        think|get|got|see|seen|find|able|available|free|around|coming|interested|ok|okay|willing|
        joining|attending|planning|going|still|already|ever|mean|agree|plan|like|prefer|use|make|
        receive|hear|talk|call|speak|send|sent|remember|expect|sure|ready|aware|there
        you|anyone up|down for / ^ up for
        if you|u could|can ... send|let|give|call|check|tell|bring|help|provide|confirm|make|do|
        get|take|forward|please|come|join|meet|find|look
        if you would|'d|d be|please|send|let|give|take|check|look|kindly
        if you have|get|find time|a ... minute|moment|chance|second|few
        when|where|how|what|which|who|why can|could|do|does|did|should|would|will|are you|we|u
        what|how about you|we|us|if|a|the|next|lunch|coffee|dinner|{_DAY} / as to whether
        whether you ... should|could|can|want|would|need|are|have|will
        i|we|had|'ve|have|just got? a|one|some|two|three|few|several|another|couple quick?
        + question|questions|of / quick question / favor|favour to ask / do me|us a favor|favour
        if|whether|would|that|what|when|does|which|this|it ... works|suits|suit|work for you
        best|convenient for you / what|which ... works|suits|would|is best|better|work|suit
        let's find|set|schedule a|up|time / let me get your
        please|kindly choose|pick|select|vote|complete|fill ... and|by|before|return|send
        sign ... and return|send / following|follow up on|with|regarding my|the|our|this|you
        just checking|following|wanted|wondering ... if|in|up|whether|on
        checking in on|with|to|if / bumping this / gentle|friendly|kind|polite reminder
        i|we remind you / asking|ask you|u to|if|for|whether
        asked|need|want|wanted|like to know if|whether|what|when|how|why|who
        advise|inform|notify me|us / guidance on|as|from
        i|we need ... ok|okay|signature|approval ... from|on|to / counting on you|your
        hoping you|u / request|requesting you|your|that / must|need to have your / owe|owes me|us
        come back to me|us / revert back? with|by|to / can|could you|u|we|i / may|might i|we
        shall|should i|we / would you|u|it|that|this / what is|'s|are your
        who|what do|does|did|will|is ... you|your|we|i think|recommend|suggest|want|need|do
    """,
    Kind.ACT: """
        gives|gave|get|getting|got|throws|shows me? a|an ... error
        still hasn't|haven't|not arrived|come|received|working|heard / is|are not working
        does|do|did not|n't work / please|pls|plz|kindly _ / you need|have|must|are required to
        make|be sure to|you|that / don't forget to / do not forget to / let's / we should
        ^ remember to
    """,
    Kind.QUESTION: """
        i|we wonder|wondered if|whether|what|when|how|why|who
        am|'m|was|were|just wondering if|whether|what|when|how|why|who|about
        curious if|whether|what|how|about|to / not sure if|whether|what|who|how|which ... you|u
        i|we don't|do not know|understand|see|remember what|which|whether|if|who|how|when ... you|
        your / no|any idea who|what|when|where|how|if|whether|about
        ^ does|did|is|are|was|were|has|could|should|shall|would|isn't|aren't|doesn't|didn't you|
        he|she|they|there|that|this|anyone|everyone / ^ do|have|can|will you|they|we
        ^ where|when|why|how|who is|are|'s|do|does|did|can|should|will|would|about
    """,
    Kind.COURTESY: """
        please|pls|kindly accept my|our|his|her|their
        please|pls go|proceed|start|carry|continue ahead|without|on|with
        let me|us|_ know if|should ... question*|concern*|problem*|trouble|difficult*|issue*|
        require|anything / let me|us know if there is|are|'s anything|any
        let me|us know if i|we can|could|may
        let me|us know if|when you|u need|get|arrive|land|make|require|want|ever
        with any|further|other question*|concern*
        if|should you|there ... question*|concern*|problem* ... please|pls? feel|contact|call|let|
        email|reach|do|don't|give|drop|ask _? _? _? / please|pls? feel free to? _? _?
        do not|don't hesitate to? _? _?
        call|contact|email|ask|let|give|tell me|us|_ ... if|with|should you|any|there ...
        + question*|concern*|problem*
        please|pls|kindly note|find|be|excuse|forgive|enjoy|disregard|ignore|remember|pardon|bear|
        click|understand|know|consider|keep|visit|refer|direct|save
        please|pls|kindly join me|us in welcom*|congratulat*|thank*
        please|pls help|join me|us welcome|welcoming|congratulat*|wish*
        please|pls see|read|find|view the? attach*|below|enclosed|following|link
        let me|us know how it|things|everything|you
        if you need|require|want|have anything|any|further|more|additional|help|assistance|trouble
        + ... let|please|call|contact
        i|we would|'d|d like|love to thank|welcome|congratulate|introduce|announce|inform|remind|
        take|share|wish|express / please|pls do not|don't|never _ / can you believe|imagine
        we|i will|'ll|shall let you know / keep you posted|updated
        thank* you|u? for letting|sending|your|taking / would you believe
        thanks for letting me|us know / let me know you / could you not / how can you|we|i not
        as do|did|does you|we / please|pls give my|our|him|her|them regards|love|best
    """,
    Kind.WAIVE: """
        no need|reason to reply|answer|respond|do|worry|get|call|write|send|come|bring|let|tell|
        confirm / no need for you
        don't|doesn't|didn't need|have to ... reply|answer|respond|do|worry|anything|call|write|
        send|come
        do|does|did not need|have to ... reply|answer|respond|do|worry|anything|call|write|send|
        come / no reply|response|answer|action|rsvp ... needed|required|necessary|expected
        nothing ... needed|required|to do|for|from you ... do?
        please|pls do not|don't reply|respond|answer / do not reply|respond
        don't bother|worry|respond / please|pls disregard|ignore / for your information only
        no action on your|ur / not waiting for an|your|a answer|reply
    """,
    Kind.SMALLTALK: """
        how are|r you|u|things|ya|y'all doing|feeling|today|going|keeping|all?
        how's|how is|are it|everything|life|things|work going
        how's|how is|are everything|life|things / how are you|things doing|going|all?
        how have you been
        how|how's is|was|'s|were your|the? weekend|holiday|holidays|vacation|trip|christmas|
        summer|family|day|kids|flight / long time no see / what's|whats|is up
        what's|whats|is new / ^ really / ^ huh / ^ eh / ^ what else
        everything ok|okay|good|alright with|there? / all well|good with|there? / ^ right
    """,
    Kind.RHETORIC: """
        who would|'d|could|d have ever? thought|guessed|believed|imagined|known / who knew
        can you believe|imagine / would you believe
        isn't|wasn't|ain't it|that|this|he|she|life a|just|so|truly? great|wonderful|lovely|funny|
        cute|amazing|something|awful|crazy|beautiful|nice|strange|ironic / guess what
        ^ you know what / ^ know what
        how cool|great|nice|crazy|funny|weird|cute is|was that|this|it
        what could possibly|ever go|be / what's not to / what is not to / remember when
        don't you just love|hate / wouldn't you know / who doesn't|does not? love|like|want|care
        does|do it|that|this get|any better / is nothing sacred / what are the odds|chances
        where would we|i be
    """,
    Kind.SOMEONE: """
        can|could|does|do|did|would|will|has|have|is|if any? anyone|anybody|someone|somebody
        any of you|u|y'all / one of you|u
        anyone|anybody have|has|know|knows|got|interested|want|else|here|there
        any takers|volunteers / who can|could|wants|would
    """,
    Kind.EVERYONE: """
        everyone / everybody / each of you / all of you / you all / y'all / both of you
        you both|two / all team members / each one of / every one of you
        all recipients|participants|attendees|managers
    """,
    Kind.THANKS: """
        thanks / thank you|u / thx / tx / ty / cheers / much appreciated
        appreciate it|that|the|your|you / many thanks / grateful for / thankyou
    """,
    Kind.CLOSING: """
        got it / that is|'s all i|we|you need|needed|wanted / ^ perfect
        all set|good|clear|sorted|done / sounds|looks|seems good|great|fine|perfect|right|ok|okay
        never mind / nevermind / no worries|problem|prob / no longer need|needed|necessary|an
        problem|issue is|was|has solved|fixed|resolved|been / it works now / i|we found it|them
        found it
        ^ ok|okay|great|excellent|good|fine|super|awesome|wonderful|cool|noted|understood|agreed|
        done|will|roger|received|will / will do / that works / works for me|us
        that's|that is|is fine|great|good|perfect|ok|okay|right|correct
        see you|u then|there|soon|tomorrow|tonight|at|on|in|monday|tuesday|wednesday|thursday|
        friday|saturday|sunday
        already|since got|found|solved|fixed|sorted|have|heard|resolved|done / taken care of
        case closed / you're welcome / you are welcome
        talk|speak to? you|u soon|then|later|tomorrow
        have a good|great|nice|wonderful|safe|happy / congrat* / well done|said / no problem
        i|we agree / me too / same here / my pleasure / i'm|am|we're|are in / count me|us in
        disregard my|the|this / ignore my|the|this last? / please|pls disregard|ignore
        sorted|solved it|that|this
    """,
    Kind.INFORM: """
        fyi
        for your|ur information|info|records|files|reference|review|file|record|use|interest|
        awareness / just|only? to let you|u|everyone|all know / letting you|u know
        wanted|want to let you|u know / wanted you to know
        attached|enclosed is|are|please|find|you|herewith|below|for
        here|below|following is|are|'s|were / please|pls find|see|note|be|read
        see attach*|below|enclosed|the / note that
        as discussed|agreed|requested|promised|follows
        i|we am|'m|are|'re pleased|happy|delighted|proud|glad|excited|sorry|sad to announce|
        inform|report|welcome|introduce|share|say|tell|let|advise|send
        is|are|be|been advised|informed|reminded|aware that|of / heads up / update on|from|to|:
        status report|update
        i|we have|'ve|ve attached|enclosed|forwarded|sent|included|copied|posted|uploaded|put|
        placed|updated|added|completed|finished / for what it's worth / fwiw
        thought you|u|this|it would|might|may|should|'d / in case you
        effective immediately|on|as|today / it is my|our|with great pleasure
        will be closed|out|off|on|held|available|effective / i'm|am sending|forwarding|attaching
        i|we sent|forwarded|attached|booked|spoke|talked|met|paid|called
    """,
    Kind.PROMISE: """
        i|we will|'ll|shall ... get|come back to you|u / i|we will|'ll|shall|can let you|u know
        i|we will|'ll|shall|am|'m going|gonna? to? check|ask|look|find|see|investigate|inquire|
        send|forward|call|try|work|do|have|get|follow|take|be|bring|email|mail|provide|update|
        keep|talk|make|finish|prepare|review|write|confirm|discuss|contact
        get|getting|come|coming|be|circle back to|with you|u / you|u will|'ll hear from me|us
        more to|later|soon follow
    """,
    Kind.REMIND: f"""
        reminder / remind|reminding / following|follow|followed up
        second|third|2nd|3rd request|time|notice|attempt / any news|update|updates|word|progress
        have you had|got a|any|the chance|time|opportunity / did you get|have|see|receive a|my|the
        still waiting|awaiting|need|missing|outstanding|pending|have / overdue / past due
        haven't|have not heard|received|seen|gotten / as of yet|today
        last|previous|earlier|my email|e-mail|mail|note|message / since {_DAY}|last
    """,
    Kind.URGENT: """
        urgent / urgently / asap / a.s.a.p / as soon as possible / as soon as you can|could
        right away / immediately / time|very sensitive|urgent|critical / at once / emergency
        top|high priority / right now / need|needed ... quickly / critical that|to / soonest
        without delay / of the essence / first thing / this is important / extremely important
        very important / crucial
    """,
    Kind.DEADLINE: f"""
        by|before|until|till|no later than|on|this|next|due|end|cob|eod|close|of? {_DAY} morning|
        afternoon|evening|noon|night|am|pm|at? _?
        by|before this|next|coming|late|early|end|of|cob|eod|noon|close|on? {_DAY} morning|
        afternoon|evening|noon|night? / by|before|until|due|than|than the? {_MONTH} _
        by|before|until|due|than the? _ of? {_MONTH} / by|before the? {_ORDINAL}
        by|before noon|tonight|tomorrow|today|midday|midnight|lunch|lunchtime|then|christmas|
        easter|monday|cob|eod|5pm|5|4|3|2|10|9|noon
        by|before|at the? close|end of business|day|week|month|play|the|this|today|next|year|
        quarter _? _? / by|before cob|eod|eob|tomorrow|today|this|next _? / no later than _ _? _?
        not later than _ _? / within _ hours|days|weeks|day|week|hour|business|working
        within the next? _ _? / in the next _ hours|days|weeks
        due|deadline is|on|by|for|date|:|of? _ _? / cob|eod today|tomorrow|{_DAY}
        close of business today|tomorrow|{_DAY}
        end of day|week|business|month today|tomorrow|{_DAY}? / this morning|afternoon|evening
        asap
    """,
    Kind.SOON: """
        today / tonight / tomorrow / this morning|afternoon|evening
        within the|an|one|two|a|24|1|2 hour|hours / cob|eod / end of day|business
        close of business / by noon|midnight|lunch|lunchtime|5|5pm / right now
        in an|the next hour|hours
    """,
    Kind.BILL: """
        payable within|by|on|to|in|upon / payment is|terms|due|within|of|for
        remit payment|to|the / invoice no|number|is|for
        settle the|this|our invoice|amount|bill|balance
        pay|transfer the|this|our invoice|amount|bill|balance|sum
        thank* you for your business|payment|order
    """,
    Kind.LEGAL: """
        intended recipient* / intended solely|only|exclusively for
        intended for the? use|sole|named|exclusive|addressee|recipient|person|individual
        this|the e? mail|email|message|communication|transmission ... is|are|may|contains|contain|
        be confidential|privileged|intended|proprietary|property
        received this e? mail|email|message|transmission|communication in error
        not necessarily reflect|represent the / confidentiality notice|note
        consider the environment / virus free
    """,
    Kind.GREETING: """
        ^ hi|hello|dear|hey|morning|afternoon|evening|greetings|hiya|yo|howdy again|there|all|
        folks|everyone|team|guys?
        ^ good morning|afternoon|evening|day again|all|there|everyone|team?
    """,
}
