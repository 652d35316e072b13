"""Counters and gauges of a hall process in Prometheus' text format."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterable

from companion_app.hall.store.arbiter_store import counts
from companion_app.hall.web.hall import Hall

Sample = tuple[dict[str, str], float]


def in_writing(hall: Hall) -> str:
    """Return all metrics."""
    received, kept = hall.receiver.counts, counts(hall.store)
    used = resource.getrusage(resource.RUSAGE_SELF)
    tables = [one.document for one in hall.overview.live.tables()]
    lines = [
        *_metric(
            "lines_total", "counter", "Lines of logs that were stored", [({}, received["lines"])]
        ),
        *_metric(
            "messages_total",
            "counter",
            "What came of messages of tables",
            [
                ({"outcome": name}, received[name])
                for name in ("batches", "refused", "dropped", "unstored")
            ],
        ),
        *_metric(
            "standings_total",
            "counter",
            "Standings that were made",
            [({}, hall.keeper.counts["standings"])],
        ),
        *_metric(
            "waiting", "gauge", "Messages that wait to be stored", [({}, hall.receiver.waiting)]
        ),
        *_metric("listeners", "gauge", "Phones that listen", [({}, hall.overview.listening)]),
        *_metric(
            "broker_connected",
            "gauge",
            "Whether the broker answers",
            [({}, float(hall.receiver.connected))],
        ),
        *_metric("tables", "gauge", "Tables that joined", [({}, kept["tables"])]),
        *_metric(
            "tables_away",
            "gauge",
            "Tables that are not heard of",
            [({}, sum(bool(one["away"]) for one in tables))],
        ),
        *_metric("alerts", "gauge", "Calls for an arbiter that are open", [({}, kept["alerts"])]),
        *_metric("table_degrees", "gauge", "Warmth of a table's machine", _of(hall, "degrees")),
        *_metric(
            "table_disk_free_mb", "gauge", "Room on a table's card", _of(hall, "disk_free_mb")
        ),
        *_metric(
            "cpu_seconds_total",
            "counter",
            "Processor time of this process",
            [({}, used.ru_utime + used.ru_stime)],
        ),
        *_metric(
            "memory_bytes",
            "gauge",
            "The most memory that this process had",
            [({}, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))],
        ),
        *_metric("now_seconds", "gauge", "The hall's clock", [({}, time.time())]),
    ]
    return "\n".join(lines) + "\n"


def _of(hall: Hall, what: str) -> list[Sample]:
    found = [(one.name, one.health.get(what)) for one in hall.store.members()]
    return [
        ({"table": name}, float(value)) for name, value in found if isinstance(value, (int, float))
    ]


def _metric(name: str, kind: str, about: str, samples: Iterable[Sample]) -> list[str]:
    whole = f"snake_eye_hall_{name}"
    return [
        f"# HELP {whole} {about}",
        f"# TYPE {whole} {kind}",
        *(f"{whole}{_labels(labels)} {value:.12g}" for labels, value in samples),
    ]


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return "{" + inside + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
