"""Demo tables that play by themselves, with real logs and senders, to try out a hall.

Each table plays legal games at human speed in a store of its own, with an occasional foul or
raised hand.
"""

from __future__ import annotations

import random
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from companion_app.games import entries
from companion_app.games.kept import KeptGames
from companion_app.hall.process import HallProcess
from companion_app.hall.table.membership import MembershipFiles, ask_to_join
from companion_app.hall.table.sender import Sender
from companion_app.live.demo import demo_record
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.game import Move
from engine.games import GAMES
from engine.record import Record

NAMES = """
Anna Ben Cleo David Ella Finn Greta Hugo Ida Jan Karla Leo Mia Noah Olga Paul Rosa Sam Tess Uli
""".split()  # noqa: SIM905 - shorter to read than a list
MOVE_S = (3.0, 9.0)
FOUL, HAND = 0.04, 0.01
"""Probabilities per move: that a foul follows it, and that somebody raises a hand."""
FOUL_LIES_S = 40.0
LONGEST_GAME = 200


class Player:
    """Plays games at one table, move by move."""

    def __init__(self, store: Store, seed: int, game: str = "") -> None:
        self._store, self._random = store, random.Random(seed)
        self._games = [game] if game else list(GAMES)
        self._next_game = seed
        self.match: Match | None = None

    def step(self) -> Match:
        """Make one move, or begin a new game where none is on; return the match."""
        match = self.match
        if match is None or match.ended:
            match = self.match = self._begin()
            return match
        moves = match.game.legal_moves(match.position)
        if not moves or len(match.accepted) >= LONGEST_GAME:
            match.end()
            return match
        match.accept((self._random.choice(moves),))
        if match.game.outcome(match.position).over:
            match.end()
        return match

    def foul(self) -> Move | None:
        """Log a foul, an earlier placement repeated; return it, ``None`` where none is found."""
        match = self.match
        if match is None or match.ended:
            return None
        placed = [one.move for one in match.accepted if one.move.do == "place"]
        if not placed:
            return None
        move = self._random.choice(placed)
        broken = match.game.judge(match.position, move).violations
        if not broken:
            return None
        match.foul(move, broken, 0.0)
        return move

    def _begin(self) -> Match:
        name = self._games[self._next_game % len(self._games)]
        self._next_game += 1
        record = demo_record(name)
        match = Match.begin(self._store, Record(record.game, record.tile_set, record.start))
        people = self._random.sample(NAMES, len(record.start.players))
        names = dict(zip(record.start.players, people, strict=True))
        match.note(entries.Names(names))
        return match


class DemoTables:
    """Demo tables that join a hall, each in a thread of its own. Use ``with`` to stop them."""

    def __init__(self, hall: HallProcess, count: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="snake-eye-demo-")
        self._stop = threading.Event()
        self._threads = []
        page = f"http://127.0.0.1:{hall.hall.address.rpartition(':')[2].strip('/')}"
        for number in range(1, count + 1):
            home = Path(self._folder.name) / str(number)
            membership = ask_to_join(page, hall.code, f"Table {number}", 0)
            files = MembershipFiles(home)
            files.join(membership)
            work = threading.Thread(
                target=self._play, args=(home, files, number), name=f"table {number}", daemon=True
            )
            self._threads.append(work)
            work.start()

    def __enter__(self) -> DemoTables:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(5)
        with suppress(OSError):
            self._folder.cleanup()

    def _play(self, home: Path, files: MembershipFiles, seed: int) -> None:
        membership = files.membership()
        assert membership is not None
        chance = random.Random(-seed)
        with Store(home) as store:
            sender = Sender(membership, files, KeptGames(store.path), lambda: {"camera": "settled"})
            sender.start()
            sending = threading.Thread(target=sender.run, args=(self._stop,), daemon=True)
            sending.start()
            player = Player(store, seed)
            for _ in range(seed % 7):
                player.step()
            while not self._stop.wait(chance.uniform(*MOVE_S)):
                match = player.step()
                if chance.random() < FOUL and player.foul() is not None:
                    self._stop.wait(chance.uniform(0.2, 1.5) * FOUL_LIES_S)
                    match.note(entries.FoulTakenBack(match.next_n))
                if chance.random() < HAND:
                    match.note(entries.HandRaised(True))
                    self._stop.wait(FOUL_LIES_S)
                    match.note(entries.HandRaised(False))
            sending.join(2)
            sender.close()
