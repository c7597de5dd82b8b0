"""AWS on loopback: a proxy with a certificate for AWS's names, and credentials that must not leak.

What is tested with it takes the whole way to AWS: the credential chain, the Region's address, TLS,
the signature. Nothing leaves the machine.
"""

from __future__ import annotations

import datetime as dt
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.gateway.fake_service import FakeService, Reply

ACCOUNT = "111122223333"
KEY_ID = "AKIACANARYKEYIDWXYZ7"
SECRET = "canarySecret/key+7QQ"
TOKEN = "canarySession/token+8QQ=="
CANARIES = (KEY_ID, SECRET, TOKEN, KEY_ID[:-4], SECRET[:12], TOKEN[:13])
SHOWN = f"…{KEY_ID[-4:]}"
NAMES = ("dynamodb.eu-west-1.amazonaws.com", "sts.eu-west-1.amazonaws.com")
IDENTITY = Reply(
    body=(
        "<GetCallerIdentityResponse><GetCallerIdentityResult>"
        f"<Arn>arn:aws:iam::{ACCOUNT}:user/ada</Arn><Account>{ACCOUNT}</Account>"
        "</GetCallerIdentityResult></GetCallerIdentityResponse>"
    ).encode(),
    headers={"Content-Type": "text/xml"},
)
CANONICAL = (
    "The request signature we calculated does not match the signature you provided.\n\n"
    "The Canonical String for this request should have been\n'POST\n/\n\n"
    f"host:{NAMES[0]}\nx-amz-security-token:{TOKEN}\n'\n\n"
    f"The Authorization header was 'AWS4-HMAC-SHA256 Credential={KEY_ID}/20261130/eu-west-1'\n"
)
"""What AWS says of a signature that it refuses: all that was signed, in plain text."""


@contextmanager
def fake_aws(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    """AWS for the length of a ``with`` block, with the canaries as its only credentials."""
    no_aws_setup(folder, monkeypatch)
    with FakeService(_certified(folder)).serving() as service:
        service.identity = IDENTITY
        given = {
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_SESSION_TOKEN": TOKEN,
            "AWS_CA_BUNDLE": str(folder / "certificate.pem"),
            "HTTPS_PROXY": service.url,
        }
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        yield service


def no_aws_setup(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which AWS was never set up; the path of its settings file, which is not there.

    Whatever wants to leave the machine is led to a port where nobody answers.
    """
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "CA_BUNDLE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    config = folder / "config"
    given = {
        "HOME": str(folder),
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(config),
        "AWS_SHARED_CREDENTIALS_FILE": str(folder / "credentials"),
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return config


def _certified(folder: Path) -> ssl.SSLContext:
    """A server's side of TLS under AWS's names, its certificate in ``certificate.pem``."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a fake AWS")])
    today = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - dt.timedelta(days=1))
        .not_valid_after(today + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([*map(x509.DNSName, NAMES)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = serialization.PrivateFormat.PKCS8
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, private, serialization.NoEncryption()))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context


@pytest.fixture
def aws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    """AWS as it is reached by what this test opens."""
    with fake_aws(tmp_path, monkeypatch) as service:
        yield service
