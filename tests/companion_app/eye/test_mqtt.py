"""What goes on at the table, by a real Mosquitto on the loopback address."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from companion_app.eye.mqtt import Publisher, publisher_for, table_to_json
from companion_app.settings import Settings, parse_settings
from tests.browser.chromium import wait_until
from tests.companion_app.hall.cluster import free_port

MOSQUITTO = shutil.which("mosquitto") or next(
    (str(p) for p in (Path("/usr/sbin/mosquitto"),) if p.exists()), None
)


class Heard:
    """A client that listens to everything."""

    def __init__(self, port: int) -> None:
        self.messages: list[tuple[str, str, bool]] = []
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self._client.on_message = self._note
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def _note(self, _client: Any, _data: Any, message: Any) -> None:
        self.messages.append(
            (message.topic, message.payload.decode(errors="replace"), message.retain)
        )

    def last(self, topic: str) -> str | None:
        return next((text for name, text, _ in reversed(self.messages) if name == topic), None)

    def close(self) -> None:
        self._client.disconnect()
        wait_until(lambda: self._client.socket() is None)  # stopped sooner, it leaves it open
        self._client.loop_stop()
        self._client._reset_sockets()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Return the port of a Mosquitto of its own."""
    if MOSQUITTO is None:
        pytest.skip("there is no Mosquitto here")
    number = free_port()
    conf = tmp_path / "mosquitto.conf"
    conf.write_text(f"listener {number} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    process = subprocess.Popen(
        [MOSQUITTO, "-c", str(conf)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: answers(number), 20)
    yield number
    process.terminate()
    process.wait(10)


def test_a_game_is_published_event_by_event(played, script, port):
    publisher = publisher_for(played.desk, Settings(mqtt_host="127.0.0.1", mqtt_port=port))
    assert publisher is not None
    heard = Heard(port)
    wait_until(lambda: heard.last("snake-eye/online") == "yes")
    played.begin(script.record, {"blue": "Anna"})

    played.play(script.record, 3)

    wait_until(lambda: json.loads(heard.last("snake-eye/table") or "{}").get("moves") == 3)
    verdict = json.loads(heard.last("snake-eye/event/verdict") or "{}")
    table = json.loads(heard.last("snake-eye/table") or "{}")
    assert (verdict["n"], verdict["legal"]) == (3, True)
    assert table == table_to_json(played.desk)
    assert table["players"][0]["name"] == "Anna"
    publisher.close()
    wait_until(lambda: heard.last("snake-eye/online") == "no")
    heard.close()


def test_home_assistant_finds_the_table_by_itself(played, script, port):
    played.begin(script.record)
    broker = Settings(mqtt_host="127.0.0.1", mqtt_port=port, mqtt_prefix="home/eye")
    publisher = Publisher(played.desk, broker, wait_s=0.2)
    publisher.start()
    late = Heard(port)

    topic = "homeassistant/sensor/home_eye/turn/config"
    wait_until(lambda: late.last(topic) is not None)
    told = json.loads(late.last(topic) or "{}")

    assert told["state_topic"] == "home/eye/table"
    wait_until(lambda: late.last("home/eye/table") is not None)
    assert json.loads(late.last("home/eye/table") or "{}")["turn_name"] == "Blue"
    publisher.close()
    late.close()


def test_a_missing_broker_holds_nothing_up(played, script):
    broker = Settings(mqtt_host="127.0.0.1", mqtt_port=free_port())
    publisher = Publisher(played.desk, broker, wait_s=0.1)
    publisher.start()
    played.begin(script.record)

    played.play(script.record, 5)

    assert len(played.desk.match.accepted) == 5
    publisher.close()
    assert played.desk.hub.listening == 0


def test_nothing_is_queued_for_a_broker_that_is_away(played, script):
    publisher = Publisher(played.desk, Settings(mqtt_host="127.0.0.1", mqtt_port=free_port()), 0.1)
    publisher.start()
    played.begin(script.record)

    played.play(script.record, 5)

    publisher.close()
    assert publisher._client.publish("first", "message").mid == 1


def test_without_a_broker_nothing_is_published(played):
    assert publisher_for(played.desk, Settings()) is None


def test_settings_name_the_broker():
    said = b'[mqtt]\nhost = "broker.lan"\nport = 1884\nprefix = "games/snakes"\n'

    settings = parse_settings(said)

    assert (settings.mqtt_host, settings.mqtt_port) == ("broker.lan", 1884)
    assert settings.mqtt_prefix == "games/snakes"
