"""Machines and people, told apart by what machines say of themselves."""

from __future__ import annotations

import pytest

from providers.mime.reading import read_mail
from tests.mime.build import HEAD, mail, multipart

ANSWER = "In-Reply-To: <q@example.com>"
UNSUBSCRIBE = "List-Unsubscribe: <https://shop.example/u>"

MACHINES = [
    ["Auto-Submitted: auto-replied"],
    ["Auto-Submitted: Auto-Generated"],
    ['Auto-Submitted: auto-notified; owner-email="x@example.org"'],
    ["Auto-Submitted: (comment) auto-replied"],
    ["Auto-Submitted: x-something-new"],
    ["X-Autoreply: yes"],
    ["X-Auto-Reply: 1"],
    ["X-Autorespond: Re: Lease"],
    ["X-Vacation: yes"],
    ["Precedence: auto_reply"],
    ["X-POST-MessageClass: 9; Autoresponder"],
    ["Subject: Automatic reply: Lease"],
    ["Subject: AutoReply"],
    ["Subject: Auto-Response: your mail"],
    ["Subject: Automatische Antwort: Lease"],
    ["Subject: Abwesenheitsnotiz: Lease"],
    ["Subject: =?utf-8?Q?R=C3=A9ponse_automatique_=3A_Bail?="],
    ["Subject: Respuesta automática: Contrato"],
    ["Subject: Risposta automatica: Contratto"],
    ["Subject: Resposta automática: Contrato"],
    ["Subject: Automatisch antwoord: Huur"],
    ["Subject: Autosvar: Kontrakt"],
    ["Subject: Automatiskt svar: Kontrakt"],
    ["Subject: Automaattinen vastaus: Sopimus"],
    ["Subject: Automatyczna odpowiedź: Umowa"],
    ["Subject: Automatická odpověď: Smlouva"],
    ["Subject: Automatikus válasz: Szerződés"],
    ["Subject: Автоматический ответ: Договор"],
    ["Subject: Автоматична відповідь: Договір"],
    ["Subject: Otomatik yanıt: Sözleşme"],
    ["Subject: Αυτόματη απάντηση: Συμβόλαιο"],
    ["Subject: 自動応答: 契約"],
    ["Subject: 自动答复: 合同"],
    ["Subject: 자동 회신: 계약"],
    ["Subject: رد تلقائي: عقد"],
    ["Subject: תשובה אוטומטית: חוזה"],
    ["Subject: Out of Office: Lease", ANSWER],
    ["Subject: Out of office", ANSWER],
    ["Subject: Absence du bureau : Bail", ANSWER],
    ["Subject: Fuera de la oficina: Contrato", "X-Auto-Response-Suppress: All"],
    ["Return-Path: <>"],
    ["Return-Path: < >"],
    ["X-Failed-Recipients: x@example.net"],
    ["From: MAILER-DAEMON@mail.example.net"],
    ["From: Mail Delivery Subsystem <mailer-daemon@mail.example.net>"],
    ["From: MAILER-DAEMON (Mail Delivery System)"],
    ["From: bounces+123=x@mail.example.net"],
    ["From: postmaster@example.net", "Subject: Undeliverable: Lunch"],
    ["From: postmaster@example.net", "Subject: Unzustellbar: Mittagessen"],
    [UNSUBSCRIBE],
    [
        UNSUBSCRIBE,
        "List-Id: <news.shop.example>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    ],
    [UNSUBSCRIBE, "List-Post: NO"],
    ["Precedence: bulk"],
    ["Precedence: bulk", "Subject: away from my mail", ANSWER],
    ["X-BeenThere: news@lists.example", "List-Unsubscribe-Post: List-Unsubscribe=One-Click"],
    ["Precedence: junk"],
    ["From: No Reply <no-reply@shop.example>"],
    ["From: noreply@shop.example"],
    ["From: do-not-reply@shop.example"],
    ["From: donotreply@shop.example"],
    ["From: no-reply@shop.example", "Reply-To: noreply@shop.example"],
    ["X-Cron-Env: <SHELL=/bin/sh>"],
]


@pytest.mark.parametrize("lines", MACHINES, ids=lambda lines: lines[0])
def test_a_machine_is_seen_as_one(lines: list[str]) -> None:
    assert read_mail(mail("Can you come?", *lines)).automated is not None


PEOPLE = [
    ["Auto-Submitted: no"],
    ["Auto-Submitted: No (typed by hand)"],
    ["Auto-Submitted: no; x=y"],
    ["Auto-Submitted: no", "Subject: Automatic reply: how do I set it up?"],
    ["Auto-Submitted: no", "From: noreply@example.org"],
    ["Auto-Submitted:"],
    ["X-Auto-Response-Suppress: All"],
    ["X-Auto-Response-Suppress: DR, OOF, AutoReply"],
    ["Precedence: list", "List-Id: <garden.example>", "List-Post: <mailto:garden@lists.example>"],
    ["Precedence: bulk", "List-Post: <mailto:garden@lists.example>", UNSUBSCRIBE],
    ["List-Id: <garden.example>"],
    ["Precedence: bulk", "X-BeenThere: garden@lists.example", "List-Id: <garden.lists.example>"],
    ["Precedence: bulk", "Mailing-List: list garden@groups.example", UNSUBSCRIBE],
    ["Precedence: bulk", "Subject: Re: Lease", ANSWER],
    ["Precedence: first-class"],
    ["Precedence: normal"],
    ["X-Autoreply: no"],
    ["Return-Path: <mina@example.org>"],
    ["Subject: Re: Automatic reply: Lease"],
    ["Subject: AW: Abwesenheitsnotiz: Lease"],
    ["Subject: Automatic reply settings?"],
    ["Subject: Out of office next week, can you take over?"],
    ["Subject: Out of office: cover for me?"],
    ["Subject: Undeliverable parcel"],
    ["Subject: failure notice of the boiler"],
    ["From: postmaster@example.net"],
    ["From: root@example.net"],
    ["From: Contact form <noreply@shop.example>", "Reply-To: Tess <tess@example.org>"],
    ["From: norepl@example.org"],
    ["From: reply@example.org"],
    ["From: info@example.org"],
    ["From: noreply-fan@example.org", "Reply-To: tess@example.org"],
    ["Feedback-ID: 1:2:3"],
    ["X-Mailer: MassMailer 1"],
    ["Disposition-Notification-To: mina@example.org"],
    ["Return-Receipt-To: mina@example.org"],
]


@pytest.mark.parametrize("lines", PEOPLE, ids=lambda lines: lines[0])
def test_a_person_is_not_taken_for_a_machine(lines: list[str]) -> None:
    assert read_mail(mail("Can you come?", *lines)).automated is None


REPORTS = [
    ("report-type=delivery-status", "message/delivery-status"),
    ('report-type="disposition-notification"', "message/disposition-notification"),
    ("report-type=feedback-report", "message/feedback-report"),
    ("x=y", "text/rfc822-headers"),
]


@pytest.mark.parametrize(("params", "kind"), REPORTS)
def test_a_report_is_made_by_a_machine(params: str, kind: str) -> None:
    raw = multipart(
        "report", "\nCould not be delivered. Try again?\n", f"Content-Type: {kind}\n\nx: y\n"
    )
    raw = raw.replace(b"multipart/report;", f"multipart/report; {params};".encode())
    assert read_mail(raw).automated is not None


def test_a_bounce_that_is_only_multipart_mixed_is_made_by_a_machine() -> None:
    raw = multipart("mixed", "\nNo such user.\n", "Content-Type: message/delivery-status\n\nx: y\n")
    assert read_mail(raw).automated is not None


def test_a_person_who_forwards_a_bounce_is_no_machine() -> None:
    inner = multipart("report", "\nNo such user.\n").decode()
    raw = multipart(
        "mixed",
        "\nWhat does this mean?\n",
        f"Content-Type: message/rfc822\n\n{inner}",
        boundary="o",
    )
    assert read_mail(raw).automated is None


def calendar(method: str, *, words: str | None = None, attached: bool = False) -> bytes:
    event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Budget\nEND:VEVENT\nEND:VCALENDAR\n"
    kind = f"text/calendar; charset=utf-8; method={method}" if method else "text/calendar"
    if words is None:
        return mail(event, f"Content-Type: {kind}")
    disposition = "Content-Disposition: attachment; filename=a.ics\n" if attached else ""
    part = f"Content-Type: {kind}\n{disposition}\n{event}"
    return multipart("mixed" if attached else "alternative", f"\n{words}\n", part)


@pytest.mark.parametrize("method", ["REQUEST", "reply", "CANCEL", "COUNTER", "PUBLISH"])
def test_mail_of_a_calendar_program_is_made_by_a_machine(method: str) -> None:
    assert read_mail(calendar(method)).automated is not None


def test_an_invitation_beside_its_own_description_is_made_by_a_machine() -> None:
    assert read_mail(calendar("REQUEST", words="Budget review, room 4")).automated is not None


def test_an_accepted_invitation_with_a_question_is_from_a_person() -> None:
    raw = calendar("REPLY", words="Can we make it an hour later?")
    assert read_mail(raw).automated is None


def test_a_person_who_attaches_a_calendar_file_is_no_machine() -> None:
    raw = calendar("REQUEST", words="Does this suit you?", attached=True)
    assert read_mail(raw).automated is None


def test_the_reason_names_the_sign() -> None:
    assert read_mail(mail("Hi", "Auto-Submitted: auto-replied")).automated == (
        "made by a machine (Auto-Submitted: auto-replied)"
    )


def test_a_person_on_a_list_that_says_noreply_nowhere_stays_a_person() -> None:
    assert read_mail(HEAD.encode() + b"\nHi").automated is None
