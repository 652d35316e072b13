"""Publishes what goes on at the table by MQTT, for home automation; off unless a broker is set.

It listens to the hub in a thread of its own, so that a slow or missing broker never slows the
loop. Topics, below the prefix set: ``online`` and ``table`` (both retained), ``event/<name>``.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from typing import Any

from companion_app.eye.desk import Desk
from companion_app.line.hub import Event
from companion_app.live.places import leading
from companion_app.settings import Settings

log = logging.getLogger(__name__)
WAIT_S = 5.0
SENSORS = {
    "turn": ("Turn", "{{ value_json.turn_name }}"),
    "leader": ("Leader", "{{ value_json.leader }}"),
    "state": ("Table", "{{ value_json.seeing }}"),
}
"""Sensors for Home Assistant: title, and template of the value in the ``table`` message."""
PUBLISHED = (
    "verdict",
    "taken-back",
    "turn",
    "score",
    "over",
    "question",
    "withdrawn",
    "game",
    "state",
)
"""Events that are published; the others are for the page alone."""


class Publisher:
    """Publishes a desk's events and its table to a broker."""

    def __init__(self, desk: Desk, settings: Settings, wait_s: float = WAIT_S) -> None:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        self._settings, self._desk, self._wait_s = settings, desk, wait_s
        self._client = Client(CallbackAPIVersion.VERSION2)
        if settings.mqtt_user:
            self._client.username_pw_set(settings.mqtt_user, settings.mqtt_password)
        self._client.will_set(self._topic("online"), "no", qos=1, retain=True)
        self._client.on_connect = self._connected
        self._client.on_connect_fail = lambda *_: log.warning(
            "no MQTT broker at %s", settings.mqtt_host
        )
        self._client.reconnect_delay_set(1, 60)
        self._listener = desk.hub.listen(None)
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def start(self) -> None:
        """Connect in the background, and reconnect whenever the connection is lost."""
        host, port = self._settings.mqtt_host, self._settings.mqtt_port
        self._client.connect_async(host, port, keepalive=30)
        self._client.loop_start()
        self._thread.start()

    def close(self) -> None:
        """Publish that the table is offline, and disconnect."""
        self._desk.hub.leave(self._listener)
        self._listener.close()
        self._thread.join(self._wait_s + 1)
        if self._client.is_connected():
            self._client.publish(self._topic("online"), "no", qos=1, retain=True).wait_for_publish(
                2
            )
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()  # paho leaves them open until the client is deleted

    # --- telling ---------------------------------------------------------------------------

    def _connected(self, *_: object) -> None:
        self._publish(self._topic("online"), "yes", retain=True)
        found_at = self._settings.mqtt_discovery
        for name, (title, template) in SENSORS.items() if found_at else ():
            self._publish(
                f"{found_at}/sensor/{self._id}/{name}/config",
                self._discovery(name, title, template),
                retain=True,
            )
        self._publish_table()

    def _follow(self) -> None:
        while not self._listener.closed:
            news = self._listener.take(self._wait_s)
            for event in news:
                self._tell(event)
            if news:
                self._publish_table()

    def _tell(self, event: Event) -> None:
        name = str(event.body.get("event", ""))
        if name in PUBLISHED:
            self._publish(self._topic(f"event/{name}"), event.body)

    def _publish_table(self) -> None:
        self._publish(self._topic("table"), table_to_json(self._desk), retain=True)

    def _publish(self, topic: str, said: Mapping[str, Any] | str, retain: bool = False) -> None:
        if not self._client.is_connected():
            return  # the client would queue it without limit; a broker that is back gets the table
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        self._client.publish(topic, text, qos=1, retain=retain)

    # --- names -----------------------------------------------------------------------------

    @property
    def _id(self) -> str:
        return self._settings.mqtt_prefix.replace("/", "_")

    def _topic(self, name: str) -> str:
        return f"{self._settings.mqtt_prefix}/{name}"

    def _discovery(self, name: str, title: str, template: str) -> dict[str, Any]:
        return {
            "name": title,
            "unique_id": f"{self._id}_{name}",
            "state_topic": self._topic("table"),
            "value_template": template,
            "json_attributes_topic": self._topic("table"),
            "availability_topic": self._topic("online"),
            "payload_available": "yes",
            "payload_not_available": "no",
            "device": {"identifiers": [self._id], "name": "Snake Eye"},
        }


def publisher_for(desk: Desk, settings: Settings) -> Publisher | None:
    """Return a started publisher; ``None`` if the settings name no broker."""
    if not settings.mqtt_host:
        return None
    publisher = Publisher(desk, settings)
    publisher.start()
    return publisher


def table_to_json(desk: Desk) -> dict[str, Any]:
    """Return a summary of the table: game, players with scores, turn, foul, questions, end."""
    return desk.do(lambda: _summary(desk))


def _summary(desk: Desk) -> dict[str, Any]:
    short: dict[str, Any] = {"seeing": desk.seeing, "game": None, "turn_name": "", "leader": ""}
    referee = desk.referee
    if referee is None:
        return short
    match = referee.match
    outcome, facts = match.game.outcome(match.position), match.game.facts
    names = {
        player: desk.names.get(player) or player[:1].upper() + player[1:]
        for player in match.start.players
    }
    over = outcome.over or match.ended
    turn = None if over else match.position.to_move
    ahead = leading(outcome.scores)
    winners = (list(outcome.winners) or ahead) if over else []
    return short | {
        "game": facts.name,
        "title": facts.title,
        "players": [
            {"id": player, "name": name, "score": outcome.scores.get(player)}
            for player, name in names.items()
        ],
        "scores": dict(outcome.scores),
        "turn": turn,
        "turn_name": names.get(turn or "", ""),
        "leader": ", ".join(names[player] for player in ahead),
        "moves": len(match.accepted),
        "foul": referee.state.pending is not None,
        "questions": len(referee.state.questions),
        "over": over,
        "winners": [names[player] for player in winners],
    }
