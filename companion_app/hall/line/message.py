"""Messages between table and hall: signed bytes, each for one purpose alone.

A message is a signature (Ed25519, 64 bytes) and a body. The signature covers purpose and body, so
that no message can be sent again under another table's name or as one of another kind. Bodies are
JSON, bounded and validated here; a picture follows its JSON after a line feed. Each message names
an ``ask``, which its answer repeats, so that no older answer is taken for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from companion_app.games.entries import Line, read_line
from companion_app.hall.errors import BadMessageError

SIGNED_FOR = b"snake-eye hall 1\0"
SIGNATURE_BYTES = 64
MOST_BYTES = 2 << 20
"""Largest message in bytes."""
MOST_LINE_BYTES = 256 << 10
MOST_LINES = 200
LONGEST_NAME = 40
LARGEST_PICTURE = 1 << 20
BATCH_BYTES = 128 << 10
"""A batch ends with the line that reaches this size."""
MOST_NUMBER = 1 << 53
"""Numbers stay below this limit, from which on JSON parsers may round integers."""
TABLE_ID = re.compile(r"[0-9a-f]{24}")
WORD = re.compile(r"[A-Za-z0-9_-]{1,64}")
HOLD_S = 10.0
"""Seconds for which the hall holds the question of a table that waits."""
LINES, WAIT, PICTURE, ANSWER, MARKS = "lines", "wait", "picture", "answer", "marks"
KINDS = (LINES, WAIT, PICTURE, ANSWER, MARKS)
"""What a table sends: its log, its health while it waits for news, a picture, the answer to a
ruling, a question for the marks of its lines."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of one table's log, in order and without a gap between them."""

    table: str
    ask: str
    after: int
    """The number of the line before the first one; 0 before the very first."""
    lines: tuple[tuple[Line, str], ...]
    """Parsed lines, each with its text."""


def from_table(hall: str, table: str, kind: str) -> str:
    """Return the purpose of a table's messages of a kind."""
    return f"{hall}/from/{table}/{kind}"


def to_table(hall: str, table: str) -> str:
    """Return the purpose of the hall's messages to a table."""
    return f"{hall}/to/{table}"


def to_all(hall: str) -> str:
    """Return the purpose of what the hall says of itself to every table."""
    return f"{hall}/to-all"


def signed(key: Ed25519PrivateKey, purpose: str, body: bytes) -> bytes:
    """Return a message: the signature, then the body."""
    return key.sign(_what_is_signed(purpose, body)) + body


def opened(key: Ed25519PublicKey, purpose: str, message: bytes) -> bytes:
    """Verify a message and return its body.

    Raises:
        BadMessageError: it is not signed by the owner of this key, for this purpose.
    """
    if not SIGNATURE_BYTES < len(message) <= MOST_BYTES:
        raise BadMessageError("not the size of a message")
    body = message[SIGNATURE_BYTES:]
    try:
        key.verify(message[:SIGNATURE_BYTES], _what_is_signed(purpose, body))
    except InvalidSignature as error:
        raise BadMessageError("not signed by this table") from error
    return body


def to_bytes(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON bytes."""
    return json.dumps(body).encode()


def from_bytes(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body.

    Raises:
        BadMessageError: it is not a JSON object.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadMessageError("not JSON") from error
    if not isinstance(said, dict):
        raise BadMessageError("not a JSON object")
    return said


def parse_batch(table: str, body: bytes) -> Batch:
    """Return the lines that a table sent.

    Raises:
        BadMessageError: a part of the batch is malformed; none of it is used.
    """
    said = from_bytes(body)
    after: Any = said.get("after")
    ask: Any = said.get("ask")
    texts = said.get("lines")
    if not whole_number(after) or not is_word(ask):
        raise BadMessageError("a batch says what it follows and asks for an answer")
    if not isinstance(texts, list) or len(texts) > MOST_LINES:
        raise BadMessageError("a batch is a short list of lines")
    lines: list[tuple[Line, str]] = []
    last: int = after
    for text in texts:
        line = _line(text)
        if line.seq <= last:
            raise BadMessageError("lines are not in order")
        last = line.seq
        lines.append((line, text))
    return Batch(table, ask, after, tuple(lines))


def mark_of_line(text: str) -> str:
    """Return the mark of a line's text, by which logs are compared: 128 bits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def whole_number(value: Any) -> bool:
    """Say whether a value is an integer from 0 up to ``MOST_NUMBER``, exclusive."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_NUMBER


def is_word(value: Any) -> bool:
    """Say whether a value is a word of 1 to 64 letters, digits, ``_`` or ``-``."""
    return isinstance(value, str) and WORD.fullmatch(value) is not None


def printable(text: str) -> str:
    """Return a text with a space for every character that cannot be printed."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def shown_name(name: str) -> str:
    """Return a name that a table sent for display: printable characters on one line, shortened."""
    return " ".join(printable(name).split())[:LONGEST_NAME]


def _line(text: Any) -> Line:
    if not isinstance(text, str) or len(text) > MOST_LINE_BYTES or not text.isascii():
        raise BadMessageError("a line is plain text")
    try:
        line = read_line(text)
    except RecursionError as error:
        raise BadMessageError("a line is nested too deeply") from error
    if line is None or not whole_number(line.seq) or not isinstance(line.body, dict):
        raise BadMessageError("a line is damaged")
    if not is_word(line.game) or not is_word(line.kind) or not 0 <= line.at_s < MOST_NUMBER:
        raise BadMessageError("a line is of no game or of no time")
    return line


def _what_is_signed(purpose: str, body: bytes) -> bytes:
    return SIGNED_FOR + purpose.encode() + b"\0" + body
