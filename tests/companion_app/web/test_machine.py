"""The machine at the table: what it wants is shown, judged, laid by people, or laid otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from companion_app.games.entries import Line, Machine, OpenHand
from companion_app.games.play import play
from companion_app.kept_looks import KeptLooks
from companion_app.seat.player import NoPlayer
from companion_app.web.looked_over import LookedOver
from engine.game import Move
from engine.play import analysis
from engine.record import move_to_json, parse_move, record_to_json
from tests.browser.chromium import wait_until

from .conftest import Played, playthrough

NEST = "schlangennest_two_players"


@pytest.fixture
def nest(played: Played) -> Played:
    """Return a desk at which blue is the machine's and begins."""
    record = playthrough(NEST)
    played.desk.begin(replace(record, moves=()), {"red": "Rosa"}, machine={"blue": 3})
    return played


def wanted(played: Played) -> Move:
    """Let the machine think; return what it wants laid."""
    played.eye.machine.look()
    referee = played.desk.referee
    assert referee is not None and referee.doubts.machine is not None
    assert referee.doubts.machine.move is not None
    return referee.doubts.machine.move


def another(played: Played, move: Move, **like: object) -> Move:
    """Return another legal move that is like the machine's in some respects."""
    match = played.desk.match
    assert match is not None
    return next(
        other
        for other in match.game.legal_moves(match.position)
        if match.game.layout(match.game.apply(match.position, other))
        != match.game.layout(match.game.apply(match.position, move))
        and all(getattr(other, name) == value for name, value in like.items())
    )


def a_legal_move(played: Played) -> Move:
    """Return a move of whose turn it is."""
    match = played.desk.match
    assert match is not None
    return match.game.legal_moves(match.position)[0]


def people_move(played: Played) -> None:
    """Let people move until it is blue's turn."""
    match = played.desk.match
    assert match is not None
    while match.position.to_move != "blue":
        played.lay(a_legal_move(played))


def state(played: Played) -> Any:
    return played.guest().get("/api/state")


def test_on_its_turn_the_state_shows_tile_place_and_words(nest):
    before = state(nest)["machine"]
    move = wanted(nest)
    after = state(nest)["machine"]

    assert (before["thinking"], before["move"], before["player"]) == (True, None, "blue")
    assert after["move"] == move_to_json(move)
    assert (after["level"], after["thinking"], after["needs"]) == (3, False, None)
    assert after["ghost"][0]["tile"] == move.tile
    assert "blue" in after["words"]


def test_laid_as_it_wants_the_move_is_taken(nest):
    nest.lay(wanted(nest))

    assert nest.desk.match.accepted[0].move.player == "blue"
    assert state(nest)["machine"]["move"] is None


@pytest.mark.parametrize("kind", ["cell", "turn", "tile"])
def test_laid_otherwise_it_is_told_and_not_taken(nest, kind):
    first = wanted(nest)
    nest.lay(first)
    people_move(nest)
    move = wanted(nest)
    likes: dict[str, dict[str, Any]] = {
        "cell": {"tile": move.tile, "turns": move.turns},
        "turn": {"tile": move.tile, "at": move.at},
        "tile": {"at": move.at},
    }
    try:
        wrong = another(nest, move, **likes[kind])
    except StopIteration:
        wrong = another(nest, move)
    nest.lay(wrong)
    said = state(nest)

    assert nest.desk.match.position.to_move == "blue"
    assert said["machine"]["laid"]
    assert said["machine"]["move"] == move_to_json(move)
    assert said["machine"]["words"].startswith("That is not what I meant")
    assert [line.kind for line in nest.store.lines(nest.desk.match.key)].count(
        "laid-otherwise"
    ) == 1


def test_laid_otherwise_and_then_right_it_is_taken(nest):
    move = wanted(nest)
    nest.lay(another(nest, move))
    nest.lay(move)

    assert [one.move for one in nest.desk.match.accepted] == [move]


def test_lifted_again_nothing_lies_otherwise_any_more(nest):
    move = wanted(nest)
    nest.lay(another(nest, move))
    nest.look_at_the_table()

    assert state(nest)["machine"]["laid"] is None
    assert nest.desk.match.accepted == ()


def test_people_may_let_stand_what_lies_otherwise(nest):
    other = another(nest, wanted(nest))
    nest.lay(other)
    answer = nest.seat("red").post("/api/tell", {"stand": True})

    assert answer.status_code == 200
    assert [one.move for one in nest.desk.match.accepted] == [other]


def test_what_lay_otherwise_is_forgotten_once_a_foul_lies_there(nest):
    nest.lay(wanted(nest))
    people_move(nest)
    move = wanted(nest)
    before = len(nest.desk.match.accepted)
    nest.lay(another(nest, move))
    otherwise = state(nest)["machine"]["laid"]
    assert move.at is not None
    nest.lay(replace(move, at=(move.at[0] + 9, move.at[1] + 9)))
    said = state(nest)

    assert otherwise and said["foul"]["violations"]
    assert said["machine"]["laid"] is None
    assert nest.host().post("/api/tell", {"stand": True}).status_code == 409
    assert len(nest.desk.match.accepted) == before


def test_letting_stand_needs_something_that_lies_otherwise(nest):
    assert nest.host().post("/api/tell", {"stand": True}).status_code == 409


def test_what_breaks_a_rule_is_a_foul_as_usual_and_its_place_is_shown(nest):
    nest.lay(wanted(nest))
    people_move(nest)
    move = wanted(nest)
    assert move.at is not None
    far = replace(move, at=(move.at[0] + 9, move.at[1] + 9))
    nest.lay(far)
    said = state(nest)

    assert said["foul"]["violations"]
    assert said["machine"]["ghost"]


@pytest.mark.parametrize(
    "says",
    [
        {
            "moves": [
                {
                    "move": {
                        "player": "blue",
                        "do": "place",
                        "tile": "red/head",
                        "at": [0, 0],
                        "turns": 0,
                    }
                }
            ]
        },
        {"moves": [{"move": {"player": "red", "do": "pass"}}]},
        {"moves": [{"move": {"do": "fly"}}, {"move": 7}, None]},
        {"moves": []},
        {"moves": 3},
        [],
        "nonsense",
    ],
)
def test_a_fault_in_its_answer_never_reaches_the_game(nest, says):
    nest.companion.player.says = says
    nest.eye.machine.look()
    said = state(nest)

    assert said["machine"]["needs"] == "people"
    assert said["machine"]["move"] is None
    legal = a_legal_move(nest)
    nest.lay(legal)
    assert [one.move for one in nest.desk.match.accepted] == [legal]


def test_while_it_thinks_nobody_chooses_for_it(nest):
    match = nest.desk.match
    nest.desk.do(nest.eye.machine._due)
    nest.lay(a_legal_move(nest))

    assert match.accepted == ()


def test_it_thinks_while_people_do(nest):
    nest.lay(wanted(nest))
    nest.eye.machine.look()

    assert nest.companion.player.asked == ["move", "ponder"]


def test_it_is_muted_leaves_and_takes_a_seat_over(nest):
    host = nest.host()
    muted = host.post("/api/machine/mute", {"on": True}).get_json()["machine"]["muted"]
    gone = host.post("/api/machine/seat", {"player": "blue", "level": None}).get_json()
    taken = host.post("/api/machine/seat", {"player": "red", "level": 5}).get_json()

    assert muted is True
    assert gone["machine"] is None
    assert [one["machine"] for one in taken["players"]] == [None, 5]
    assert [one["name"] for one in taken["players"]][1] == "Snake Eye"


def test_its_seats_are_found_again_in_the_log(nest):
    key = nest.desk.match.key
    nest.host().post("/api/machine/mute", {"on": True})
    found = play(nest.store.lines(key)).machine
    nest.desk.resume(key)

    assert (dict(found.seats), found.muted) == ({"blue": 3}, True)
    assert nest.desk.machine == found


def test_a_new_game_has_its_seats_by_request(played):
    host = played.host()
    said = host.post(
        "/api/new", {"game": "schlangennest", "players": ["blue", "red"], "machine": {"red": 2}}
    ).get_json()

    assert [one["machine"] for one in said["players"]] == [None, 2]
    assert [one["name"] for one in said["players"]] == ["Blue", "Snake Eye"]
    for wrong in ({"red": 9}, {"green": 1}, {"red": True}, ["red"]):
        body = {"game": "schlangennest", "players": ["blue", "red"], "machine": wrong}
        assert host.post("/api/new", body).status_code == 400


# --- rolls, draws, hands -------------------------------------------------------------------------


def test_it_asks_for_its_roll_and_its_cards(played):
    record = playthrough("sssnake_evening")
    who = record.start.players[0]
    played.desk.begin(replace(record, moves=()), machine={who: 2})
    played.eye.machine.look()
    before = state(played)["machine"]
    seat = played.seat(record.start.players[1])
    seat.post("/api/tell", {"roll": 1})
    played.eye.machine.look()
    rolled = state(played)["machine"]
    seat.post("/api/machine/draw", {"tiles": ["curve"]})
    played.eye.machine.look()
    after = state(played)["machine"]

    assert (before["needs"], rolled["needs"], after["needs"]) == ("roll", "draw", None)
    assert after["ghost"][0]["tile"] == "curve"


def test_it_asks_which_card_was_given_to_it_and_lays_that_one(played):
    record = playthrough("sssnake_evening")
    roller, neighbour = record.start.players[:2]
    played.desk.begin(replace(record, moves=()), machine={neighbour: 2})
    match, seat = played.desk.match, played.seat(roller)
    seat.post("/api/tell", {"roll": 2})
    own = next(one for one in match.game.legal_moves(match.position) if one.tile == "straight")
    played.lay(own)
    played.eye.machine.look()
    asked = state(played)["machine"]
    answer = seat.post("/api/machine/draw", {"tiles": ["curve"]})
    played.eye.machine.look()
    after = state(played)["machine"]

    assert (asked["player"], asked["needs"]) == (neighbour, "draw")
    assert answer.status_code == 200
    assert match.accepted[0].move.tiles == ("straight", "curve")
    assert all(not one.violations for one in match.accepted)
    assert (after["needs"], after["ghost"][0]["tile"]) == (None, "curve")


@pytest.mark.parametrize("tiles", [["curve", "curve"], [], ["dragon"]])
def test_cards_that_cannot_have_been_drawn_for_it_are_refused(played, tiles):
    record = playthrough("sssnake_evening")
    roller, other = record.start.players[:2]
    played.desk.begin(replace(record, moves=()), machine={roller: 2})
    seat = played.seat(other)
    early = seat.post("/api/machine/draw", {"tiles": ["curve"]})
    seat.post("/api/tell", {"roll": 1})
    answer = seat.post("/api/machine/draw", {"tiles": tiles})
    played.eye.machine.look()

    assert (early.status_code, answer.status_code) == (409, 409)
    assert [one.move.tiles for one in played.desk.match.accepted] == [None]
    assert state(played)["machine"]["needs"] == "draw"


def test_its_carnival_hand_lies_open_and_is_filled_up(played):
    record = playthrough("carnival_evening")
    who, other = record.start.players[:2]
    played.desk.begin(replace(record, moves=()), machine={who: 1})
    seat = played.seat(other)
    played.eye.machine.look()
    before = state(played)["machine"]
    tiles = [f"{who}/straight", f"{who}/head", "gift", f"{who}/corner"]
    seat.post("/api/machine/hand", {"player": who, "tiles": tiles})
    move = wanted(played)
    played.lay(move)
    after = state(played)["machine"]

    assert before["needs"] == "hand"
    assert move.tile in tiles
    assert (after["needs"], after["player"]) == ("draw", who)
    assert len(after["hands"][who]) == len(tiles) - 1
    told = seat.post("/api/machine/hand", {"player": who, "tiles": tiles}).get_json()
    assert told["machine"]["needs"] is None
    assert seat.post("/api/machine/hand", {"player": other, "tiles": []}).status_code == 409
    assert seat.post("/api/machine/hand", {"player": who, "tiles": ["x"]}).status_code == 409


@pytest.fixture
def carnival(played: Played) -> Played:
    """Return a desk at which the first player of Carnival is the machine's."""
    record = playthrough("carnival_evening")
    played.desk.begin(replace(record, moves=()), machine={record.start.players[0]: 1})
    return played


def test_from_an_empty_pile_it_is_asked_to_draw_nothing(carnival):
    match, machine = carnival.desk.match, carnival.eye.machine
    players, first = match.start.players, match.start.players[0]
    turns = match.position.supply.pile
    match.accept([Move(players[n % len(players)], "pass") for n in range(turns)])
    while match.position.to_move != first:
        match.accept([Move(match.position.to_move, "pass")])
    assert match.position.supply.pile == 0
    machine.show_hand(first, [f"{first}/head"])
    machine.look()
    said = state(carnival)["machine"]

    assert match.accepted[-1].move == Move(first, "pass")
    assert (said["player"], said["needs"]) == (None, None)


def test_a_hand_that_is_told_again_is_thought_about_anew(carnival):
    who, machine = carnival.desk.match.start.players[0], carnival.eye.machine
    machine.show_hand(who, [f"{who}/straight"])
    first = wanted(carnival)
    machine.show_hand(who, [f"{who}/corner"])

    assert first.tile == f"{who}/straight"
    assert wanted(carnival).tile == f"{who}/corner"


def meanwhile(played: Played, monkeypatch: pytest.MonkeyPatch, happens: Any) -> None:
    """Let something happen while the machine thinks about its move."""
    ask = played.companion.player.ask

    def told(what: str, body: Any, **more: Any) -> Any:
        said = ask(what, body, **more)
        monkeypatch.undo()
        happens()
        return said

    monkeypatch.setattr(played.companion.player, "ask", told)
    played.eye.machine.look()


def test_an_answer_about_another_hand_is_not_shown(carnival, monkeypatch):
    who, machine = carnival.desk.match.start.players[0], carnival.eye.machine
    machine.show_hand(who, [f"{who}/straight"])
    meanwhile(carnival, monkeypatch, lambda: machine.show_hand(who, [f"{who}/corner"]))

    assert state(carnival)["machine"]["move"] is None
    assert wanted(carnival).tile == f"{who}/corner"


def test_a_game_that_is_ended_while_it_thinks_has_no_move_more(carnival, monkeypatch):
    match = carnival.desk.match
    who = match.start.players[0]
    carnival.eye.machine.show_hand(who, [f"{who}/head"])
    meanwhile(carnival, monkeypatch, carnival.desk.end)

    assert match.ended and match.accepted == ()


def test_a_hand_that_nobody_can_hold_is_refused_and_asked_for_again(carnival):
    match, desk = carnival.desk.match, carnival.desk
    who, other = match.start.players[:2]
    heads = [f"{who}/head"] * 2
    told = carnival.seat(other).post("/api/machine/hand", {"player": who, "tiles": heads})
    # One that could be held when it was told may become impossible by what others lay.
    desk.agree(structs.replace(desk.machine, hands={who: OpenHand(tuple(heads), 0)}))
    carnival.eye.machine.look()

    assert told.status_code == 409
    assert "only 1 can be left" in told.get_json()["error"]["detail"]
    assert state(carnival)["machine"]["needs"] == "hand"


def test_undo_takes_back_what_people_did_before_it_passed(carnival):
    desk, match = carnival.desk, carnival.desk.match
    first, second = match.start.players[:2]
    carnival.eye.machine.sit(first, None)
    carnival.eye.machine.sit(second, 1)
    carnival.eye.machine.show_hand(second, [f"{second}/head"])
    laid = a_legal_move(carnival)
    carnival.lay(laid)
    carnival.eye.machine.look()
    made = [one.move for one in match.accepted]
    desk.undo()
    left = list(match.accepted)
    desk.redo()

    assert made == [laid, Move(second, "pass")]
    assert left == []
    assert [one.move for one in match.accepted] == [laid]


def test_it_draws_after_a_pass_in_carnival_as_everybody_does(played):
    record = playthrough("carnival_evening")
    who = record.start.players[0]
    played.desk.begin(replace(record, moves=()), machine={who: 1})
    played.eye.machine.show_hand(who, [f"{who}/head"])

    played.eye.machine.look()

    assert [one.move.do for one in played.desk.match.accepted] == ["pass"]
    said = state(played)["machine"]
    assert (said["player"], said["needs"]) == (who, "draw")


def test_its_carnival_hand_is_right_after_moves_were_taken_back(played):
    record = playthrough("carnival_evening")
    who, other = record.start.players[:2]
    played.desk.begin(replace(record, moves=()), machine={who: 1})
    machine, match = played.eye.machine, played.desk.match
    tiles = [f"{who}/straight", f"{who}/corner", f"{who}/straight", f"{who}/corner"]
    machine.show_hand(who, tiles)
    played.lay(wanted(played))
    machine.show_hand(who, tiles)
    played.desk.tell({"pass": True})
    assert [one.move.player for one in match.accepted] == [who, other]

    played.desk.take_back(2)
    again = wanted(played)
    played.lay(again)

    said = state(played)["machine"]
    assert (said["player"], said["needs"]) == (who, "draw")
    held = [one["tile"] for one in said["hands"][who]]
    assert sorted([*held, again.tile]) == sorted(tiles)


def test_hand_of_an_older_log_counts_moves():
    body = {"seats": {"red": 1}, "hands": {"red": {"tiles": ["gift"], "n": 4}}}

    found = Line(1, "g", "machine", body, 0.0).entry()

    assert isinstance(found, Machine)
    assert found.hands == {"red": OpenHand(("gift",), 4)}


# --- hints ---------------------------------------------------------------------------------------


def test_hints_are_off_until_the_host_allows_them(played):
    played.begin(playthrough(NEST))
    seat = played.seat("blue")

    assert seat.get("/api/me")["ideas"] == 0
    refused = seat.post("/api/ideas")
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "hints-off")


def test_hints_are_rationed_and_say_why(played):
    record = playthrough(NEST)
    played.begin(record)
    played.play(record, 4)
    played.host().post("/api/settings", {"ideas": 1})
    turn = played.desk.match.position.to_move
    other = next(who for who in record.start.players if who != turn)
    seat = played.seat(turn)
    first, second = seat.post("/api/ideas").get_json(), seat.post("/api/ideas")

    assert len(first["ideas"]) == 3 and first["left"] == 0
    for one in first["ideas"]:
        move = parse_move(record.game, record.tile_set, record.start.players, one["move"], "idea")
        assert played.desk.match.game.judge(played.desk.match.position, move).legal
        assert one["why"] and one["text"] and one["ghost"]
    assert second.get_json()["error"]["code"] == "no-hints-left"
    assert played.seat(other).post("/api/ideas").status_code == 403


def test_a_hint_needs_a_hand_that_can_be_held(played):
    record = playthrough("carnival_evening")
    played.begin(record)
    played.host().post("/api/settings", {"ideas": 9})
    who = record.start.players[0]
    seat = played.seat(who)
    unknown = seat.post("/api/ideas", {"hand": ["dragon"]})
    twice = seat.post("/api/ideas", {"hand": [f"{who}/head"] * 2})

    assert seat.post("/api/ideas").get_json()["needs"] == "hand"
    assert unknown.status_code == 400
    assert twice.status_code == 409
    assert "only 1 can be left" in twice.get_json()["error"]["detail"]


def tiles_left(match: Any, n: int) -> set[str]:
    """Return the tiles of hexes that the player to move has left after so many moves."""
    position = match.positions[n]
    return set(position.left[position.to_move])


def test_moves_that_are_shown_are_of_every_tile(played):
    record = playthrough("snekagon_tie")
    played.begin(record)
    played.play(record, 3)
    shown = played.guest().get("/api/moves")["moves"]

    assert {one["move"]["tile"] for one in shown} == tiles_left(played.desk.match, 3)


# --- after the game, and alone -------------------------------------------------------------------


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Let games be looked over with few draws: what is told of them is tested with the engine."""
    few = {name: (depth, 4, length) for name, (depth, _, length) in analysis.GLANCES.items()}
    monkeypatch.setattr(analysis, "GLANCES", few)


def looked_at(guest: Any, address: str) -> Any:
    """Ask for a game looked over until it is ready, as the page does."""
    return wait_until(lambda: (said := guest.get(address))["ready"] and said, 120, "the look")


def test_a_game_is_looked_over_on_request(played):
    record = playthrough(NEST)
    played.begin(record)
    played.play(record, 5)
    address = f"/api/games/{played.desk.match.key}/look-over"
    guest = played.guest()
    said = looked_at(guest, address)

    assert [one["n"] for one in said["moves"]] == [1, 2, 3, 4, 5]
    assert {one["id"] for one in said["players"]} == set(record.start.players)
    for one in said["moves"]:
        assert sum(one["after"].values()) == pytest.approx(1.0, abs=0.01)
        assert one["skill"] <= 0 and (one["best"] is None or one["best"]["ghost"])


def looked_over(played: Played, moves: int = 4) -> str:
    """Play a short game to its end and have it looked over; return its key."""
    record = playthrough(NEST)
    played.begin(record, names={"blue": "Bruno", "red": "Rosa"})
    played.play(record, moves)
    assert played.desk.match is not None
    key = str(played.desk.match.key)
    played.host().post("/api/end", {})
    looked_at(played.guest(), f"/api/games/{key}/look-over")
    return key


def test_mistakes_are_listed_by_person_over_all_games_that_were_looked_over(played):
    key = looked_over(played)
    said = played.guest().get("/api/mistakes")
    kept = played.companion.looked_over.all()[key]["moves"]
    names = {"blue": "Bruno", "red": "Rosa"}
    costly = {(names[one["player"]], one["n"]) for one in kept if one["skill"] <= -0.05}

    assert said["missing"] == []
    assert {(who["name"], one["n"]) for who in said["players"] for one in who["mistakes"]} == costly
    assert all(
        one["key"] == key and one["cost"] >= 0.05
        for who in said["players"]
        for one in who["mistakes"]
    )


def test_a_finished_game_that_nobody_looked_over_is_missing_from_the_mistakes(played):
    record = playthrough(NEST)
    played.begin(record)
    played.play(record, 2)
    unfinished = played.guest().get("/api/mistakes")
    played.host().post("/api/end", {})

    assert unfinished == {"players": [], "missing": []}
    assert played.guest().get("/api/mistakes")["missing"] == [played.desk.match.key]


def test_a_look_over_outlives_the_page_and_goes_with_its_game(played):
    key = looked_over(played, 2)
    anew = LookedOver(NoPlayer, lambda: KeptLooks(played.store.path.parent))
    record = record_to_json(played.desk.match.record())
    found = anew.of(key, record)
    played.begin(playthrough(NEST))
    gone = played.host().post("/api/games/delete", {"key": key})

    assert found is not None and len(found["moves"]) == 2
    assert gone.status_code == 200
    assert played.companion.looked_over.all() == {}


def test_a_look_over_that_could_not_be_kept_is_shown_and_made_once(tmp_path):
    class Finder:
        asked = 0

        def ask(self, *_: Any) -> Any:
            self.asked += 1
            return {"players": {}, "moves": []}

    finder = Finder()
    (tmp_path / "looked-over").write_text("a disk on which nothing can be written")
    looked = LookedOver(lambda: finder, lambda: KeptLooks(tmp_path))
    while (found := looked.of("a game", {})) is None:
        assert finder.asked <= 1

    assert found == looked.known("a game", {}) == {"players": {}, "moves": []}


def test_a_position_is_tried_again_and_any_good_move_counts(played):
    record = playthrough(NEST)
    played.begin(record)
    played.play(record, 4)
    address = f"/api/games/{played.desk.match.key}/try"
    guest = played.guest()
    legal = guest.post(address, {"n": 3}).get_json()["legal"]
    tried = [guest.post(address, {"n": 3, "move": one["move"]}).get_json()["good"] for one in legal]

    assert 1 <= tried.count(True) < len(legal)
    assert guest.post(address, {"n": 9}).status_code == 404
    assert guest.post(address, {"n": "3"}).status_code == 400


def test_every_tile_of_hexes_may_be_tried_again(played):
    record = playthrough("snekagon_tie")
    played.begin(record)
    played.play(record, 4)
    match = played.desk.match
    said = played.guest().post(f"/api/games/{match.key}/try", {"n": 4}).get_json()

    assert {one["move"]["tile"] for one in said["legal"]} == tiles_left(match, 3)


def test_where_hands_are_hidden_the_tile_that_was_laid_is_tried_elsewhere(played):
    record = playthrough("carnival_evening")
    played.begin(record)
    played.play(record, 6)
    match = played.desk.match
    n, made = next(
        (n, one.move)
        for n, one in enumerate(match.accepted, start=1)
        if [way.tile for way in match.game.legal_moves(match.positions[n - 1])].count(one.move.tile)
        > 2
    )
    address, guest = f"/api/games/{match.key}/try", played.guest()
    legal = guest.post(address, {"n": n}).get_json()["legal"]
    tried = [guest.post(address, {"n": n, "move": one["move"]}).get_json()["good"] for one in legal]

    assert {one["move"]["tile"] for one in legal} == {made.tile}
    assert tried.count(True) >= 1


@pytest.mark.parametrize("game", ["schlangennest", "snekagon", "sssnake", "carnival"])
def test_a_phone_alone_plays_any_game_and_nothing_is_kept(played, game):
    guest = played.guest()
    begun = guest.post("/api/alone", {"game": game, "level": 1}).get_json()
    one = begun["alone"]["id"]
    moved = guest.post(f"/api/alone/{one}", {"move": begun["legal"][0]["move"]}).get_json()

    assert len(moved["moves"]) > len(begun["moves"])
    assert moved["turn"] == moved["alone"]["seat"] or moved["alone"]["over"]
    assert guest.client.get(f"/api/alone/{one}/table.svg").status_code == 200
    assert played.store.games() == []
    assert guest.get("/api/statistics")["players"] == []


def test_a_phone_alone_may_lay_every_tile_that_it_has_left(played):
    guest = played.guest()
    begun = guest.post("/api/alone", {"game": "snekagon", "level": 1}).get_json()
    first = begun["legal"][0]["move"]
    moved = guest.post(f"/api/alone/{begun['alone']['id']}", {"move": first}).get_json()
    left = {
        one["tile"].partition("/")[2]
        for one in moved["stock"]
        if one["colour"] == moved["alone"]["seat"] and one["left"]
    }

    assert {one["move"]["tile"] for one in moved["legal"]} == left


def test_a_move_that_the_rules_forbid_is_refused_alone_too(played):
    guest = played.guest()
    begun = guest.post("/api/alone", {"game": "schlangennest", "level": 1}).get_json()
    address = f"/api/alone/{begun['alone']['id']}"
    forbidden = {**begun["legal"][0]["move"], "at": [7, 7]}
    refused = guest.post(address, {"move": forbidden})

    assert refused.status_code in (400, 409)
    assert guest.get(address)["moves"] == begun["moves"]


def test_four_phones_play_alone_at_most_and_three_of_one_address(played):
    guest, neighbour, third = played.guest(), played.guest(), played.guest()
    neighbour.client.environ_base["REMOTE_ADDR"] = "192.168.0.7"
    third.client.environ_base["REMOTE_ADDR"] = "192.168.0.8"

    def begun(phone):
        return phone.post("/api/alone", {"game": "schlangennest", "level": 1})

    answers = [begun(guest) for _ in range(4)] + [begun(neighbour), begun(third)]

    assert [one.status_code for one in answers] == [200, 200, 200, 503, 200, 503]
    guest.post(f"/api/alone/{answers[0].get_json()['alone']['id']}", {"leave": True})
    assert begun(third).status_code == 200
