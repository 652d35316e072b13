"""Events about people: entering, checking in, leaving, sitting out, hiding and erasing a name."""

from __future__ import annotations

from dataclasses import replace

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import Event
from companion_app.hall.tournament.model import Player, Tournament
from companion_app.hall.tournament.reading import clean, player_of, several, whole, with_player
from companion_app.hall.tournament.words import say


def next_id(tournament: Tournament) -> str:
    """Return the id of the next player who enters."""
    return f"p{len(tournament.players) + 1}"


def add_player(tournament: Tournament, event: Event) -> Tournament:
    """Enter a player; also late, while the tournament runs."""
    name = clean(event.data.get("name", ""))
    if not name:
        raise TournamentError("no-name")
    if event.data.get("player") != next_id(tournament):
        raise TournamentError("bad-event")
    player = Player(
        next_id(tournament),
        name,
        clean(event.data.get("nickname", "")),
        clean(event.data.get("group", "")),
        clean(event.data.get("person", "")),
    )
    return with_player(tournament, player)


def change_player(tournament: Tournament, event: Event) -> Tournament:
    """Correct a player's name, nickname, group or person."""
    player = player_of(tournament, event)
    if player.erased:
        raise TournamentError("erased")
    changed = {key: clean(value) for key, value in event.data.items()}
    player = replace(
        player,
        name=changed.get("name", player.name),
        nickname=changed.get("nickname", player.nickname),
        group=changed.get("group", player.group),
        person=changed.get("person", player.person),
    )
    if not player.name:
        raise TournamentError("no-name")
    return with_player(tournament, player)


def hide_player(tournament: Tournament, event: Event) -> Tournament:
    """Show a player's name to the staff only, or to everybody again."""
    player = player_of(tournament, event)
    return with_player(tournament, replace(player, hidden=bool(event.data.get("hidden", True))))


def erase_player(tournament: Tournament, event: Event) -> Tournament:
    """Delete a player's name permanently; his results stay without a name."""
    player = player_of(tournament, event)
    return with_player(
        tournament, replace(player, name="", nickname="", person="", hidden=True, erased=True)
    )


def check_in(tournament: Tournament, event: Event) -> Tournament:
    """Note that a player is there, for the first time or again."""
    return with_player(tournament, replace(player_of(tournament, event), here=True))


def leave(tournament: Tournament, event: Event) -> Tournament:
    """Note that a player has gone; he is not paired until he checks in again."""
    return with_player(tournament, replace(player_of(tournament, event), here=False))


def sit_out(tournament: Tournament, event: Event) -> Tournament:
    """Note that a player will not play a round that is not paired yet; it earns nothing."""
    player, number = player_of(tournament, event), whole(event, "round")
    if number <= len(tournament.rounds):
        raise TournamentError("round-begun")
    return with_player(tournament, replace(player, sits_out=(*player.sits_out, number)))


def forbid(tournament: Tournament, event: Event) -> Tournament:
    """Keep two players apart: they are never paired."""
    return replace(tournament, forbidden=tournament.forbidden | {_two(tournament, event)})


def allow(tournament: Tournament, event: Event) -> Tournament:
    """Let two players meet again who were kept apart."""
    return replace(tournament, forbidden=tournament.forbidden - {_two(tournament, event)})


def _two(tournament: Tournament, event: Event) -> frozenset[str]:
    pair = frozenset(map(str, several(event, "players")))
    if len(pair) != 2 or not pair <= tournament.players.keys():
        raise TournamentError("no-such-player")
    return pair


def known_names(player: Player) -> frozenset[str]:
    """Return every form in which people at a table may have typed a player's name."""
    if not player.name:
        return frozenset()
    short = public_name(replace(player, hidden=False))
    number = player.id.removeprefix("p")
    return frozenset([player.name, player.nickname, short, f"{short} ({number})"]) - {""}


def public_name(player: Player, language: str = "en") -> str:
    """Return what everybody may read: the nickname, else the first name and an initial."""
    if player.hidden or player.erased or not player.name:
        return say(language, "player-number", number=player.id.removeprefix("p"))
    if player.nickname:
        return player.nickname
    first, *others = player.name.split()
    return f"{first} {others[-1][0]}." if others else first


def full_name(player: Player, language: str = "en") -> str:
    """Return what the staff may read: the name, unless it was erased."""
    return player.name or public_name(player, language)
