"""English phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

PACK: Final[Pack] = {
    Kind.REQUEST: """
        can|could|would|will|may you / can|could|may we|i have|get|ask
        let me|us know / please advise
        please|kindly send|confirm|reply|answer|respond|tell|provide|forward|share|call|give
        ^ send|tell|give me|us / i|we need you to / would you mind / i|we would|d appreciate
    """,
    Kind.ACT: """
        please|kindly _
    """,
    Kind.QUESTION: """
        i wonder / wondering if|whether|what|when
    """,
    Kind.COURTESY: """
        let me|us know if|should you have any questions|concerns / please note|find|see / feel free
        do not|don't hesitate / please be advised
    """,
    Kind.WAIVE: """
        no need to reply|answer|respond / no reply|response|action needed|required|necessary
    """,
    Kind.SMALLTALK: """
        how are you / how's it going / how is it going
    """,
    Kind.SOMEONE: """
        can|could|does|would anyone|anybody|someone|somebody
    """,
    Kind.EVERYONE: """
        everyone / everybody / each of you / all of you / you all
    """,
    Kind.THANKS: """
        thanks / thank you / thx / cheers
    """,
    Kind.CLOSING: """
        got it / that is|that's all i needed / perfect / all set / sounds good / never mind
    """,
    Kind.INFORM: """
        fyi / for your information / just to let you know / attached is|are / please find
    """,
    Kind.PROMISE: """
        i'll|i will get back to you / i'll|i will send|check|let you know
    """,
    Kind.DONE: """
        done / i have|i've sent / taken care of
    """,
    Kind.REMIND: """
        reminder / any news|update|updates / following up / follow up
    """,
    Kind.URGENT: """
        urgent / urgently / asap / as soon as possible / immediately
    """,
    Kind.DEADLINE: """
        by|before|until monday|tuesday|wednesday|thursday|friday|saturday|sunday
        by|before noon|tonight|tomorrow|today / by the? end of
    """,
    Kind.SOON: """
        today / tonight / tomorrow / this morning|afternoon|evening / within the hour
    """,
    Kind.LEGAL: """
        intended recipient / intended solely for
    """,
    Kind.GREETING: """
        ^ hi|hello|dear|hey|morning / ^ good morning|afternoon|evening
    """,
}
