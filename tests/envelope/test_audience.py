"""Who an answer to all goes to, and from which of the owner's addresses."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.mime.envelope import reply_envelope
from providers.mime.message import Address, Mail, Owner
from providers.mime.owners import address_key, usable
from tests.threads.build import mail

ROBIN = Owner(
    name="Robin Vale",
    addresses=("robin@example.com", "robin.vale@example.com", "hello@vale.example.net"),
)
MAIN = "robin@example.com"
MINA = "mina@example.org"
KAI = "kai@example.net"
INES = "ines@example.org"
LIST = "garden@lists.example.org"
REWRITTEN = ("Mina Okafor via Garden <garden@lists.example.org>",)


@dataclass(frozen=True, slots=True)
class Row:
    """A mail and the answer worked out by hand; no ``to`` means no answer at all."""

    mail: Mail
    to: tuple[str, ...] = (MINA,)
    cc: tuple[str, ...] = ()
    by: str = MAIN
    thread: tuple[Mail, ...] = ()


ROWS = {
    # who is answered
    "author": Row(mail()),
    "web_form": Row(
        mail(from_=("Form <noreply@shop.example>",), reply_to=("Tess <tess@example.org>",)),
        to=("tess@example.org",),
    ),
    "web_form_in_the_owners_name": Row(
        mail(from_=(MAIN,), reply_to=("Tess <tess@example.org>",)), to=("tess@example.org",)
    ),
    "several_in_reply_to": Row(
        mail(reply_to=("Okafor, Mina <mina@example.org>", "Jon <jon@example.net>")),
        to=(MINA, "jon@example.net"),
    ),
    "reply_to_names_one_twice": Row(mail(reply_to=(MINA, "MINA@Example.org"))),
    "reply_to_is_the_owner": Row(mail(reply_to=(MAIN,))),
    "reply_to_is_broken": Row(mail(reply_to=("not an address",))),
    "reply_to_elsewhere_drops_the_author": Row(
        mail(reply_to=("office@example.org",)), to=("office@example.org",)
    ),
    "reply_to_with_the_owner_among_others": Row(mail(reply_to=(MAIN, KAI)), to=(KAI,)),
    "two_authors": Row(
        mail(from_=("Ben <ben@example.org>", "Carol <carol@example.org>")),
        to=("ben@example.org", "carol@example.org"),
    ),
    "the_owner_among_the_authors": Row(mail(from_=(MINA, MAIN))),
    "quoted_local_part": Row(
        mail(from_=('"sales, north"@example.org',)), to=('"sales, north"@example.org',)
    ),
    "international_domain": Row(mail(from_=("lea@bücher.example",)), to=("lea@bücher.example",)),
    # nobody is answered
    "robot_without_author": Row(mail(from_=()), to=()),
    "robot_with_others_copied": Row(mail(from_=(), cc=(KAI,)), to=()),
    "broken_author": Row(mail(from_=("<>", "a b@example.org")), to=()),
    "noreply": Row(mail(from_=("no-reply@parcel.example",)), to=()),
    "noreply_joined": Row(mail(from_=("noreply@parcel.example",)), to=()),
    "noreply_with_a_tag": Row(mail(from_=("noreply+123@parcel.example",)), to=()),
    "noreply_behind_a_word": Row(mail(from_=("calendar-noreply@parcel.example",)), to=()),
    "do_not_reply": Row(mail(from_=("Do_Not_Reply@parcel.example",)), to=()),
    "noreply_in_french": Row(mail(from_=("ne-pas-repondre@parcel.example",)), to=()),
    "noreply_domain": Row(mail(from_=("mina@noreply.parcel.example",)), to=()),
    "mailer_daemon": Row(mail(from_=("MAILER-DAEMON@mx.example",)), to=()),
    "noreply_asked_for": Row(mail(reply_to=("noreply@example.org",)), to=()),
    "noreply_with_others_copied": Row(mail(from_=("noreply@shop.example",), cc=(KAI,)), to=()),
    "to_oneself": Row(mail(from_=(MAIN,), to=("robin.vale@example.com",)), to=()),
    # the false friends of noreply
    "a_person_called_reply": Row(
        mail(from_=("norbert.reply@example.org",)), to=("norbert.reply@example.org",)
    ),
    "reply_address": Row(mail(from_=("reply+7@app.example",)), to=("reply+7@app.example",)),
    "a_casino": Row(mail(from_=("casino.replay@example.org",)), to=("casino.replay@example.org",)),
    # who gets a copy
    "everyone_else_once": Row(
        mail(to=(MAIN, f"Ines <{INES}>", KAI), cc=("KAI@example.net", INES, MINA)), cc=(INES, KAI)
    ),
    "aliases_are_no_copies": Row(
        mail(to=("R. Vale <ROBIN.VALE@example.com>", INES), cc=(MAIN, KAI)),
        cc=(INES, KAI),
        by="robin.vale@example.com",
    ),
    "a_plus_address_is_no_copy": Row(
        mail(to=(f"Kai <{KAI}>",), cc=("robin+parcels@example.com",)),
        cc=(KAI,),
        by="robin+parcels@example.com",
    ),
    "a_plus_address_in_another_case": Row(
        mail(to=("Robin+Parcels@EXAMPLE.com",)), by="robin+Parcels@example.com"
    ),
    "a_quoted_own_address": Row(mail(to=('"robin"@example.com', KAI)), cc=(KAI,)),
    "somebody_else_with_a_tag": Row(mail(cc=("mina+x@example.org",)), cc=("mina+x@example.org",)),
    "another_domain_is_somebody_else": Row(
        mail(cc=("robin@example.org",)), cc=("robin@example.org",)
    ),
    "undisclosed": Row(mail(to=())),
    "noreply_gets_no_copy": Row(mail(cc=("noreply@shop.example", KAI)), cc=(KAI,)),
    "a_broken_copy": Row(
        mail(cc=("kai@", "kai@example.net\r\nBcc: x@evil.example", KAI)), cc=(KAI,)
    ),
    "hidden_recipients_stay_hidden": Row(
        Mail(identity=mail().identity, from_=(Address(addr=MINA),), bcc=(Address(addr=KAI),))
    ),
    "sender_gets_nothing": Row(
        Mail(
            identity=mail().identity,
            from_=(Address(addr=MINA),),
            sender=Address(addr="dave@example.org"),
        )
    ),
    # lists
    "list_without_reply_to": Row(mail(to=(LIST,), garden=True)),
    "list_with_a_person_in_to": Row(mail(to=(MAIN, KAI), cc=(LIST,), garden=True), cc=(KAI,)),
    "list_that_asks_for_answers": Row(mail(to=(LIST,), reply_to=(LIST,), garden=True), to=(LIST,)),
    "list_and_author_in_reply_to": Row(
        mail(to=(LIST,), reply_to=(MINA, LIST), garden=True), to=(MINA, LIST)
    ),
    "list_known_by_its_id_alone": Row(
        mail(to=("Garden@lists.example.org",), list_id="<garden.lists.example.org>")
    ),
    "list_post_with_a_subject": Row(
        mail(to=(LIST,), list_post="<mailto:garden%40lists.example.org?subject=x>")
    ),
    "list_with_two_ways_to_post": Row(
        mail(
            to=(LIST,), list_post="<https://lists.example.org/p>, <MAILTO:garden@lists.example.org>"
        )
    ),
    "list_nobody_may_post_to": Row(mail(to=(LIST,), list_post="NO"), cc=(LIST,)),
    "list_that_rewrites_from": Row(
        mail(from_=REWRITTEN, to=(LIST,), reply_to=(MINA,), garden=True)
    ),
    "list_that_keeps_x_original_from": Row(
        mail(from_=REWRITTEN, to=(LIST,), original_from=(MINA,), garden=True)
    ),
    "list_that_rewrites_and_asks_for_answers": Row(
        mail(from_=REWRITTEN, to=(LIST,), reply_to=(LIST,), cc=(MINA,), garden=True),
        to=(LIST,),
        cc=(MINA,),
    ),
    "list_that_hides_the_author": Row(mail(from_=REWRITTEN, to=(LIST,), garden=True), to=(LIST,)),
    "x_original_from_beside_an_unchanged_author": Row(
        mail(original_from=("boss@example.org",), garden=True)
    ),
    "the_direct_copy_tells_more": Row(
        mail(to=(MAIN,), cc=(LIST,), reply_to=(LIST,), garden=True),
        thread=(mail(to=(MAIN,), cc=(LIST, KAI)),),
        cc=(KAI,),
    ),
    "the_lists_copy_names_the_list": Row(
        mail(to=(MAIN,), cc=(LIST,)), thread=(mail(to=(MAIN,), cc=(LIST,), garden=True),)
    ),
    "a_namesake_is_no_copy": Row(
        mail(to=(LIST,), reply_to=(LIST,), garden=True),
        thread=(mail(from_=("vic@example.net",), cc=("spy@example.net",)),),
        to=(LIST,),
    ),
    # Mail-Followup-To
    "followup_to_the_list": Row(mail(to=(LIST,), followup=(LIST,), garden=True), to=(LIST,)),
    "followup_to_list_and_author": Row(
        mail(to=(LIST,), cc=(KAI,), followup=(LIST, MINA), garden=True), to=(LIST, MINA)
    ),
    "followup_to_the_owner_alone": Row(mail(cc=(KAI,), followup=(MAIN,)), cc=(KAI,)),
    "followup_goes_before_reply_to": Row(mail(reply_to=(KAI,), followup=(INES,)), to=(INES,)),
    # from which address
    "written_to_an_alias": Row(mail(to=("hello@vale.example.net",)), by="hello@vale.example.net"),
    "alias_in_cc": Row(
        mail(to=(KAI,), cc=("Hello@Vale.example.net",)), cc=(KAI,), by="hello@vale.example.net"
    ),
    "first_own_address_in_to": Row(
        mail(to=("hello@vale.example.net", MAIN)), by="hello@vale.example.net"
    ),
    "hidden_copy_to_an_alias": Row(
        mail(to=(), delivered_to=(MAIN, "hello@vale.example.net")), by="hello@vale.example.net"
    ),
    "hidden_copy_in_brackets": Row(
        mail(to=(KAI,), delivered_to=("<hello@vale.example.net>",)),
        cc=(KAI,),
        by="hello@vale.example.net",
    ),
    "hidden_copy_to_a_stranger": Row(mail(to=(), delivered_to=("other@example.net",))),
    "to_goes_before_delivery": Row(mail(delivered_to=("hello@vale.example.net",))),
    "the_address_used_before": Row(
        mail(to=(LIST,), garden=True),
        thread=(mail("<0@example.com>", from_=("hello@vale.example.net",), to=(MINA,)),),
        by="hello@vale.example.net",
    ),
    # following up an own message
    "own_message": Row(mail(from_=(MAIN,), to=(MINA,), cc=(KAI, MAIN)), cc=(KAI,)),
    "own_message_from_an_alias": Row(
        mail(from_=("Robin <hello@vale.example.net>",), to=(MINA,)), by="hello@vale.example.net"
    ),
    "own_message_with_copies_only": Row(mail(from_=(MAIN,), to=(), cc=(MINA, KAI)), to=(MINA, KAI)),
    "own_message_with_reply_to": Row(mail(from_=(MAIN,), to=(MINA,), reply_to=("pa@example.com",))),
    "own_message_to_a_list": Row(mail(from_=(MAIN,), to=(LIST,), garden=True), to=(LIST,)),
}


@pytest.mark.parametrize("name", ROWS)
def test_an_answer_goes_to_whom_the_mail_asks_for(name: str) -> None:
    row = ROWS[name]
    envelope = reply_envelope(row.mail, ROBIN, thread=row.thread)
    if not row.to:
        assert envelope is None
        return
    assert envelope is not None
    assert tuple(each.addr for each in envelope.to) == row.to
    assert tuple(each.addr for each in envelope.cc) == row.cc
    assert envelope.from_ == Address(addr=row.by, name="Robin Vale")


def test_names_come_along() -> None:
    envelope = reply_envelope(mail(cc=(f"Kai Lind <{KAI}>",)), ROBIN)
    assert envelope is not None
    assert envelope.to == (Address(addr=MINA, name="Mina Okafor"),)
    assert envelope.cc == (Address(addr=KAI, name="Kai Lind"),)


def test_a_name_that_poses_as_an_address_is_left_out() -> None:
    envelope = reply_envelope(mail(from_=("boss@example.com <office@example.net>",)), ROBIN)
    assert envelope is not None
    assert envelope.to == (Address(addr="office@example.net"),)


def test_a_name_stays_on_one_line() -> None:
    spy = Address(addr="vic@example.net", name="Vic\r\nCc: spy")
    envelope = reply_envelope(Mail(identity=mail().identity, from_=(spy,)), ROBIN)
    assert envelope is not None
    assert envelope.to == (Address(addr="vic@example.net", name="Vic Cc: spy"),)


def test_a_recipient_that_is_left_out_is_told() -> None:
    envelope = reply_envelope(mail(cc=("kai@",)), ROBIN)
    assert envelope is not None
    assert envelope.notes == ("left out 'kai@': no usable address",)


USABLE = [
    "mina@example.org",
    "o'hara+x@example.org",
    '"sales, north"@example.org',
    '"a\\"b"@example.org',
    "mina@[192.0.2.1]",
    "mina@[IPv6:2001:db8::1]",
    "josé@bücher.example",
    "robin@localhost",
    "a..b.@docs.example",
]
UNUSABLE = [
    "",
    "mina",
    "@example.org",
    "mina@",
    "mina@example.org ",
    "mina okafor@example.org",
    "mina@exam ple.org",
    "mina@example..org",
    "mina@.example.org",
    "mina@example.org.",
    "<mina@example.org>",
    "mina@example.org> SIZE=1",
    "mina@example.org\r\nBcc: spy@example.net",
    "mina@example.org\n",
    "mina\0@example.org",
    "mina@example.org\u2028x",
    "mi\u200bna@example.org",
    '"a\nb"@example.org',
    '"a<b>"@example.org',
    "a@b@example.org",
    "mina@example.org,kai@example.net",
    "mina@exam\ud800ple.org",
    "m" * 321 + "@example.org",
]


@pytest.mark.parametrize("addr", USABLE)
def test_a_bare_mailbox_is_usable(addr: str) -> None:
    assert usable(addr)


@pytest.mark.parametrize("addr", UNUSABLE)
def test_what_a_header_would_read_otherwise_is_not_usable(addr: str) -> None:
    assert not usable(addr)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mina@Example.ORG", "mina@example.org"),
        ('"mina"@example.org', "mina@example.org"),
        ("lea@bücher.example", "lea@xn--bcher-kva.example"),
        ("lea@BÜCHER.example", "lea@bücher.example"),
    ],
)
def test_two_spellings_of_one_address_are_equal(one: str, other: str) -> None:
    assert address_key(one) == address_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mina@example.org", "mina@example.com"),
        ("mina@example.org", "mina+x@example.org"),
        ("lea@strasse.example", "lea@straße.example"),
        ('"a b"@example.org', "ab@example.org"),
    ],
)
def test_two_addresses_are_not_equal(one: str, other: str) -> None:
    assert address_key(one) != address_key(other)


pieces = st.text(st.sampled_from('abrobinmina@.+"<>,;: \r\n\0\t\\()[]é\u200b\ud800'), max_size=25)
addresses = st.lists(
    st.builds(
        lambda addr, name: Address(addr=addr, name=name),
        pieces | st.sampled_from([MAIN, "robin+x@example.com", MINA, KAI, LIST]),
        pieces,
    ),
    max_size=3,
).map(tuple)


@given(addresses, addresses, addresses, addresses, addresses, st.none() | pieces)
def test_whatever_a_mail_holds_only_usable_strangers_get_an_answer(
    from_: tuple[Address, ...],
    to: tuple[Address, ...],
    cc: tuple[Address, ...],
    reply_to: tuple[Address, ...],
    followup: tuple[Address, ...],
    list_post: str | None,
) -> None:
    hostile = Mail(
        identity=mail().identity,
        from_=from_,
        to=to,
        cc=cc,
        reply_to=reply_to,
        mail_followup_to=followup,
        list_post=list_post,
    )
    envelope = reply_envelope(hostile, ROBIN)
    if envelope is None:
        return
    recipients = [*envelope.to, *envelope.cc]
    assert all(usable(each.addr) for each in recipients)
    assert len({address_key(each.addr) for each in recipients}) == len(recipients)
    assert not {MAIN, "robin+x@example.com"} & {address_key(each.addr) for each in recipients}
