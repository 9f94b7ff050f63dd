"""The servers that notices are tried against, each one process for all tests."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.dovecot import make_certificate
from tests.support.sink import Port, Sink


@dataclass
class MailSink:
    """The mail server, and what makes its certificate trusted."""

    sink: Sink
    trust: ssl.SSLContext

    def open(self, **plan: object) -> Port:
        return self.sink.open(**plan)


@pytest.fixture(scope="session")
def mail_sink(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailSink]:
    certificate = make_certificate(tmp_path_factory.mktemp("tls"))
    key = certificate.with_suffix(".key")
    sink = Sink("tests.support.smtp_sink", str(certificate), str(key))
    yield MailSink(sink, ssl.create_default_context(cafile=str(certificate)))
    sink.close()


@pytest.fixture(scope="session")
def http_sink() -> Iterator[Sink]:
    sink = Sink("tests.support.http_sink")
    yield sink
    sink.close()
