"""Keys of hall and tables, Ed25519 all of them, and the one certificate of the hall.

Tables pin the certificate's fingerprint, so no authority vouches for it and no list revokes it. It
is valid from 2020 to 2070: a box without the internet may have the wrong time.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import ssl
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.x509.oid import NameOID

from companion_app.hall.errors import BadMessageError

if TYPE_CHECKING:
    from companion_app.hall.store.hall_store import HallStore

FROM = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
UNTIL = datetime.datetime(2070, 1, 1, tzinfo=datetime.UTC)
ID_DIGITS = 24


@dataclass(frozen=True)
class HallKeys:
    """The hall's own keys, the same in all its processes."""

    signing: Ed25519PrivateKey
    """Signs messages."""
    serving: Ed25519PrivateKey
    """Proves over TLS that the hall answers; in a hall of 1.0.0 it was its authority's."""
    certificate_pem: str
    """The certificate of ``serving``, signed by itself."""

    @cached_property
    def id(self) -> str:
        """The hall's id, for which messages are signed."""
        return id_of(self.signing.public_key())

    @cached_property
    def public_text(self) -> str:
        """The public key of ``signing`` as base64."""
        return public_to_text(self.signing.public_key())

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of the certificate, which tables pin."""
        return fingerprint_of(ssl.PEM_cert_to_DER_cert(self.certificate_pem))


def hall_keys(store: HallStore) -> HallKeys:
    """Return the keys of a hall; the first process that asks creates them."""
    texts = store.fact("keys")
    if texts is None:
        fresh = [key_to_text(Ed25519PrivateKey.generate()) for _ in range(2)]
        texts = store.keep_fact("keys", json.dumps(fresh), once=True)
    signing, serving = (key_from_text(text) for text in json.loads(texts))
    certificate = store.fact("certificate")
    if certificate is None:
        fresh_pem = _certificate_pem(id_of(signing.public_key()), serving)
        certificate = store.keep_fact("certificate", fresh_pem, once=True)
    return HallKeys(signing, serving, certificate)


def fingerprint_of(certificate: bytes) -> str:
    """Return the fingerprint of a certificate in DER: its SHA-256."""
    return hashlib.sha256(certificate).hexdigest()


def id_of(key: Ed25519PublicKey) -> str:
    """Return the id of a key's owner: the first digits of the key's SHA-256."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:ID_DIGITS]


def key_to_text(key: Ed25519PrivateKey) -> str:
    """Return a private key as base64."""
    return base64.b64encode(key.private_bytes_raw()).decode()


def key_from_text(text: str) -> Ed25519PrivateKey:
    """Return a private key from base64."""
    return Ed25519PrivateKey.from_private_bytes(base64.b64decode(text))


def key_to_pem(key: Ed25519PrivateKey) -> str:
    """Return a private key as PEM, which TLS libraries read."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def public_to_text(key: Ed25519PublicKey) -> str:
    """Return a public key as base64."""
    return base64.b64encode(key.public_bytes_raw()).decode()


def public_from_text(text: object) -> Ed25519PublicKey:
    """Return a public key from base64.

    Raises:
        BadMessageError: the text is not a public key.
    """
    try:
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(str(text), validate=True))
    except ValueError as error:
        raise BadMessageError("not a public key") from error


def _certificate_pem(hall: str, key: Ed25519PrivateKey) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hall)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(FROM)
        .not_valid_after(UNTIL)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, None)
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
