"""Memory that everybody together may take: uploads at once, and the endless demo."""

from __future__ import annotations

import http.client
import json
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.faults.companion import PATIENCE_S, Companion

UPLOADS, UPLOAD_MB = 24, 23
HEAD = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
END = b"\r\n--x--\r\n"
SAMPLES, SAMPLE_S = 60, 60.0
LEAST_FREE_MB = 3000


def why_not() -> str:
    """Say why the machine has too little memory to try it; empty where it has enough."""
    meminfo = Path("/proc/meminfo").read_text(encoding="ascii")
    free_mb = int(meminfo.partition("MemAvailable:")[2].split()[0]) >> 10
    return "" if free_mb > LEAST_FREE_MB else f"only {free_mb} MB are free"


def uploads(unit: int) -> dict[str, Any]:
    """Send many photos whole, and all at once; note what the page and its workers take of it."""
    del unit
    with tempfile.TemporaryDirectory() as folder:
        companion = Companion(Path(folder) / "home")
        try:
            assert companion.ready()
            before = companion.memory_mb()
            answers, most = _sent(companion)
        finally:
            companion.kill()
    note = (
        f"{UPLOADS} uploads of {UPLOAD_MB} MB at once: {before:.0f} MB before, {most:.0f} MB at "
        f"most; answers by status {dict(Counter(answers))}"
    )
    return {"tried": UPLOADS, "accepted": 0, "lost": 0, "notes": [note]}


def _sent(companion: Companion) -> tuple[list[int], float]:
    """Return the answers to all uploads, and the most memory meanwhile."""
    answers: list[int] = []
    phones = [
        threading.Thread(target=lambda at=at: answers.append(_upload(companion.url, at)))
        for at in range(UPLOADS)
    ]
    for phone in phones:
        phone.start()
    most = 0.0
    while any(phone.is_alive() for phone in phones):
        most = max(most, companion.memory_mb())
        time.sleep(0.1)
    return answers, most


def _upload(url: str, phone: int) -> int:
    """Send a photo from an address of its own; return the answer, 0 where none came."""
    parts = urlsplit(url)
    line = http.client.HTTPConnection(
        str(parts.hostname),
        parts.port,
        timeout=PATIENCE_S,
        source_address=(f"127.0.0.{2 + phone}", 0),
    )
    try:
        line.request("GET", "/api/me")
        answer = line.getresponse()
        cookie = str(answer.headers["Set-Cookie"]).split(";")[0]
        token = json.loads(answer.read())["token"]
        kind = "multipart/form-data; boundary=x"
        sent = {"Cookie": cookie, "X-Snake-Eye": token, "Content-Type": kind}
        line.request("POST", "/api/photo-score", HEAD + bytes(UPLOAD_MB << 20) + END, sent)
        return line.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        line.close()


def demo_memory(unit: int) -> dict[str, Any]:
    """Let the endless demo play for an hour; note what supervisor, eye, page and workers take."""
    del unit
    with tempfile.TemporaryDirectory() as folder:
        companion = Companion(Path(folder) / "home", source="demo")
        try:
            assert companion.ready()
            taken = []
            for _ in range(SAMPLES):
                time.sleep(SAMPLE_S)
                taken.append(companion.memory_mb())
        finally:
            companion.kill()
    note = f"the endless demo: {taken[-1]:.0f} MB after an hour, {max(taken):.0f} MB at most"
    return {"tried": len(taken), "accepted": 0, "lost": 0, "notes": [note]}
