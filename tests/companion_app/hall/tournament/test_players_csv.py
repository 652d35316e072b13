"""Lists of players, as people have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.players_csv import read_players


def found(text: str, encoding: str = "utf-8") -> list[str]:
    return [player["name"] for player in read_players(text.encode(encoding)).players]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter_will_do(delimiter):
    text = f"Name{delimiter}Group\nAnn{delimiter}A\nBen{delimiter}B\n"

    assert read_players(text.encode()).players == (
        {"name": "Ann", "group": "A"},
        {"name": "Ben", "group": "B"},
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_encoding_will_do(encoding):
    assert found("Name\nZoë Müller\n", encoding) == ["Zoë Müller"]


@pytest.mark.parametrize(
    ("text", "encoding", "language", "name"),
    [
        ("Имя;Группа\nПётр Ильин;Б\n", "cp1251", "en", "Пётр Ильин"),
        ("Jméno;Příjmení\nZdeněk;Dvořák\n", "cp1250", "de", "Zdeněk Dvořák"),
        ("Jméno\nZdeněk Dvořák\n", "cp1250", "cs", "Zdeněk Dvořák"),
        ("Zdeněk Dvořák\n", "cp1250", "cs", "Zdeněk Dvořák"),
        ("Пётр Ильин\n", "cp1251", "ru", "Пётр Ильин"),
        ("Prénom;Nom de famille\nZoë;Lefèvre\n", "cp1252", "ru", "Zoë Lefèvre"),
    ],
)
def test_list_that_a_spreadsheet_saved_on_windows_keeps_its_names(text, encoding, language, name):
    (player,) = read_players(text.encode(encoding), language=language).players

    assert player["name"] == name


def test_any_script_will_do():
    people = ["Žofie Ďurková", "Пётр Ильич", "山田太郎", "محمد علي", "नेहा", "👩‍🚀 Ada"]

    assert found("\n".join(people)) == people


def test_a_plain_list_of_names_needs_no_head():
    assert found("Ann\n\nBen\r\nCay") == ["Ann", "Ben", "Cay"]


def test_first_and_last_names_are_joined_in_any_order():
    assert found("Nachname;Vorname\nMuster;Max\n") == ["Max Muster"]
    assert found("jméno;příjmení\nJan;Novák\n") == ["Jan Novák"]


def test_a_spreadsheets_own_line_about_its_delimiter_is_passed_over():
    assert found("sep=;\nName;Group\nAnn;A\n") == ["Ann"]


def test_duplicates_are_named_with_their_line():
    read = read_players(b"name\nAnn\n ann \nBen\n\nCay", known=["BEN"])

    assert [player["name"] for player in read.players] == ["Ann", "Cay"]
    assert [(note.key, note.line, note.name) for note in read.notes] == [
        ("csv-twice", 3, "ann"),
        ("csv-known", 4, "Ben"),
    ]


def test_a_line_without_a_name_is_told():
    read = read_players(b"name,group\nAnn,A\n,B\n")

    assert [(note.key, note.line) for note in read.notes] == [("csv-no-name", 3)]


def test_what_turns_letters_round_is_taken_out_of_names():
    assert found("An\u202en\x07\u200b\n") == ["Ann"]


@pytest.mark.parametrize("given", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_list_is_refused(given):
    with pytest.raises(TournamentError, match="no name in this list"):
        read_players(given)


def test_a_list_that_is_too_large_is_refused():
    with pytest.raises(TournamentError, match="too large"):
        read_players(b"x" * 2_000_001)
    with pytest.raises(TournamentError, match="too large"):
        read_players("\n".join(f"Player {n}" for n in range(5001)).encode())


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass")),
    )
)
def test_no_list_breaks_the_reader(given):
    try:
        read = read_players(given)
    except TournamentError:
        return

    for player in read.players:
        assert player["name"].strip()
        assert len(player["name"].splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        'Name;Gruppe\n"Änne Groß;A\nBen;B\nCay;A\n',
        'Name;Gruppe\nÄnne Groß;A\n"Ben;B\n"Cay;A\n',
        '"Änne Groß\nBen\nCay\n',
        'Name;Gruppe\r\n"Änne Groß;A\r\nBen;B\r\n"Cay";A\r\n',
    ],
)
def test_a_stray_quotation_mark_loses_nobody(text):
    assert found(text) == ["Änne Groß", "Ben", "Cay"]


def test_a_cell_of_several_lines_stays_one_cell():
    assert found('Adresse;Name\n"Hof 1;\nUlm";"Groß; Änne"\n"""Gut"" Ulm";Ben\n') == [
        "Groß; Änne",
        "Ben",
    ]
