"""Keys and certificates of hall and tables: Ed25519 for messages and for TLS alike.

Certificates are valid from 2020 to 2070: a box without the internet may have the wrong time, and a
table's membership ends by revocation, not by a date.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion_app.hall.errors import BadMessageError

if TYPE_CHECKING:
    from companion_app.hall.store.hall_store import HallStore

FROM = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
UNTIL = datetime.datetime(2070, 1, 1, tzinfo=datetime.UTC)
ID_DIGITS = 24
HALL = "hall"
"""Common name in the certificate of a hall process, and its user name at the broker."""
BROKER = "broker"


@dataclass(frozen=True)
class HallKeys:
    """The hall's own keys, the same in all its processes."""

    signing: Ed25519PrivateKey
    """Signs messages."""
    authority: Ed25519PrivateKey
    """Signs certificates."""

    @cached_property
    def id(self) -> str:
        """The hall's id, which topics contain."""
        return id_of(self.signing.public_key())

    @cached_property
    def authority_pem(self) -> str:
        """The authority's certificate, by which tables verify the broker."""
        made = (
            _certificate(self.id, self.authority.public_key(), _name(self.id), 1)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_may_sign(), critical=True)
            .sign(self.authority, None)
        )
        return made.public_bytes(serialization.Encoding.PEM).decode()

    def certificate_pem(self, name: str, key: Ed25519PublicKey, *, server: bool = False) -> str:
        """Return a certificate for a table or a process of the hall, or for the broker."""
        use = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
        made = (
            _certificate(name, key, _name(self.id), _serial(name))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            # A table's certificate cannot be used to impersonate the broker.
            .add_extension(x509.ExtendedKeyUsage([use]), critical=True)
            .sign(self.authority, None)
        )
        return made.public_bytes(serialization.Encoding.PEM).decode()

    def revoked_pem(self, tables: Iterable[str]) -> str:
        """Return the certificate revocation list for these tables."""
        made = x509.CertificateRevocationListBuilder().issuer_name(_name(self.id))
        made = made.last_update(FROM).next_update(UNTIL)
        for table in tables:
            one = x509.RevokedCertificateBuilder().serial_number(_serial(table))
            made = made.add_revoked_certificate(one.revocation_date(FROM).build())
        return made.sign(self.authority, None).public_bytes(serialization.Encoding.PEM).decode()


def hall_keys(store: HallStore) -> HallKeys:
    """Return the keys of a hall; the first process that asks creates them."""
    kept = store.fact("keys")
    if kept is None:
        fresh = [key_to_text(Ed25519PrivateKey.generate()) for _ in range(2)]
        kept = store.keep_fact("keys", json.dumps(fresh), once=True)
    signing, authority = (key_from_text(text) for text in json.loads(kept))
    return HallKeys(signing, authority)


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


def _certificate(
    name: str, key: Ed25519PublicKey, issuer: x509.Name, serial: int
) -> x509.CertificateBuilder:
    made = x509.CertificateBuilder().subject_name(_name(name)).issuer_name(issuer)
    return made.public_key(key).serial_number(serial).not_valid_before(FROM).not_valid_after(UNTIL)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _serial(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:15], "big") + 2


def _may_sign() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
