"""An MQTT client over TLS with the hall's certificates, as tables and hall processes use it."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paho.mqtt.client import Client

KEEP_ALIVE_S = 20
LONGEST_WAIT_S = 2
"""Longest delay in seconds between two attempts to connect to the broker."""


def new_client(authority_pem: str, certificate_pem: str, key_pem: str) -> Client:
    """Return a client that shows a certificate and trusts only the hall's broker."""
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    client = Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=True)
    client.tls_set_context(_tls(authority_pem, certificate_pem, key_pem))
    client.reconnect_delay_set(1, LONGEST_WAIT_S)
    client.max_queued_messages_set(100)
    return client


def _tls(authority_pem: str, certificate_pem: str, key_pem: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # A hall has no host name that a certificate could hold. The authority certifies one server,
    # the broker; its other certificates are valid for clients only.
    context.check_hostname = False
    context.load_verify_locations(cadata=authority_pem)
    with tempfile.TemporaryDirectory() as folder:
        # Python reads a certificate with its key only from a file.
        file = Path(folder) / "own.pem"
        file.touch(0o600)
        file.write_text(key_pem + certificate_pem, encoding="ascii")
        context.load_cert_chain(file)
    return context


def close_client(client: Client) -> None:
    """Disconnect, end the client's thread, and close all its sockets.

    Its thread may end before it has closed the connection, and never closes the pair of sockets
    that wakes it up; paho does that only when the client is deleted, which may come late.
    """
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()
