"""Codes by which players check in."""

from companion_app.hall.tournament.codes import LETTERS, code_of, player_with

SECRET = b"a secret of the hall"
PLAYERS = [f"p{n}" for n in range(1, 501)]


def test_a_code_leads_to_its_player_however_it_is_typed():
    code = code_of(SECRET, "p7")

    assert player_with(SECRET, f" {code[:3].lower()}-{code[3:].lower()} ", PLAYERS) == "p7"


def test_codes_differ_and_have_no_letters_that_look_alike():
    codes = {code_of(SECRET, player) for player in PLAYERS}

    assert len(codes) == len(PLAYERS)
    assert not set("".join(codes)) & set("0O1IS5Z2B8")
    assert set("".join(codes)) <= set(LETTERS)


def test_a_wrong_code_and_one_of_another_hall_lead_to_nobody():
    assert player_with(SECRET, "AAAAAA", PLAYERS) is None
    assert player_with(SECRET, "", PLAYERS) is None
    assert player_with(SECRET, code_of(b"another", "p7"), PLAYERS) is None
