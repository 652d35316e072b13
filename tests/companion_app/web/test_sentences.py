"""No sentence for people holds a coordinate, an id, a path or a place in our rulings."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice

import pytest

from companion_app.cli.main import main
from companion_app.web.speech import LANGUAGES, Speech, catalogue
from engine.game import Rule, ScoreLine, Violation
from engine.games import GAMES
from engine.placement import Layout, Piece, Placement
from engine.record import find_set, parse_record
from engine.referee import replay
from engine.sentences import why
from tests.companion_app.web.test_speech import forms
from tests.engine.playing import random_game, variants
from tests.test_playthroughs import FILES, answer_to, games_in

NAMES_OF_OURS = {rule.id for game in GAMES.values() for rule in game.facts.rules} | {
    option.name for game in GAMES.values() for option in game.facts.options
}
IDS = "|".join(re.escape(name) for name in sorted(NAMES_OF_OURS) if "-" in name or "_" in name)
NOT_FOR_PEOPLE = re.compile(
    rf"[\[\]<>]|\(-?\d|\w/\w|[a-z]_[a-z]|\.(?:py|md|json|toml)\b|(?<![\w-])(?:{IDS})(?![\w-])"
    r"|\brulings?\b|RULINGS|\{|\}|[0+-]\+"
)


def bad_in(text: str) -> list[str]:
    return NOT_FOR_PEOPLE.findall(text)


@pytest.mark.parametrize(
    "text",
    [
        "The gift at [0, -1]",
        "a field (3, 4)",
        "no blue/curve left",
        "with two_snakes",
        "see x.md",
        "this breaks must-move",
        "by ruling 4",
        "{player} moves",
        "tile 4 0+",
    ],
)
def test_what_is_not_for_people_is_found(text):
    assert bad_in(text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", list(GAMES))
def test_sentences_are_for_people(game, language):
    speech, facts = Speech(language), GAMES[game].facts
    said = list(speech.summary(game, facts.summary).values())
    for rule in facts.rules:
        told: Rule = speech._sentences(game, rule)
        for sentence in (told.text, told.says, *told.cases.values()):
            said += forms(sentence)
    said += [speech.option(game, option.name, option.text) for option in facts.options]
    for reason in why:
        said += forms(speech._words["reasons"][reason.id])

    assert {text: bad for text in said if (bad := bad_in(re.sub(r"\{[\w.]+\}", "x", text)))} == {}
    assert [text for text in said if text and text[0].islower() and text.endswith(".")] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", list(GAMES))
def test_tiles_are_said_with_row_and_place(game, language):
    speech, box = Speech(language), find_set(GAMES[game], None)
    lying = Layout.of(
        *(
            Piece(name, kind.cells, 1) if box.lattice == "hex" else Placement(name, (0, -3), 0)
            for name, kind in box.kinds.items()
        )
    )
    label = speech.labels(lying, box)
    said = [*map(label, lying.cards), *map(label, lying.pieces)]

    assert [text for text in said if bad_in(text) or "-3" in text] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_terminal_says_moves_and_scores_for_people(file, tmp_path, capsys):
    for number, game in enumerate(games_in(file)):
        if "record" not in game:
            continue
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(game["record"]), encoding="utf-8")
        main(["referee", str(path)])
        main(["moves", str(path)])
    said = capsys.readouterr().out

    # Points before a reason, and how often it or a move is there, are no coordinates.
    said = re.sub(r"^ +[+-]\d+|\(\d+ (?:times|ways)\)", "", said, flags=re.MULTILINE)

    assert [line for line in said.splitlines() if bad_in(line)] == []


ARCHAIC = re.compile(
    r"\b(?:whoever|lest|of which|amiss|anew|whence|only who|who cannot|where none|all the same|"
    r"whose [\w ]+ opens|stands twice|is none of)\b",
    re.IGNORECASE,
)


def test_english_sentences_are_modern():
    said = [text for sentence in catalogue("en")["page"].values() for text in forms(sentence)]
    for game in GAMES.values():
        said += [*asdict(game.facts.summary).values(), *(one.text for one in game.facts.options)]
        for rule in game.facts.rules:
            for sentence in (rule.text, rule.says, *rule.cases.values()):
                said += forms(sentence)

    assert [text for text in said if ARCHAIC.search(text)] == []


def told_in_playthroughs() -> Iterator[tuple[str, Violation | ScoreLine]]:
    for file in FILES:
        for game in games_in(file):
            if "record" in game:
                record = parse_record(game["record"])
                played = replay(record)
                name = record.game.facts.name
                yield from ((name, v) for broken in played.verdicts for v in broken or ())
                lines = record.game.outcome(played.position).lines
                yield from ((name, line) for own in lines.values() for line in own)


def told_in_random_play() -> Iterator[tuple[str, Violation | ScoreLine]]:
    """Yield what is said when moves of one moment are made at another."""
    for variant in variants():
        game, name = variant.game, variant.game.facts.name
        steps = list(islice(random_game(variant, 21), 60))
        chance = random.Random(22)
        for position, _, _ in chance.sample(steps, min(6, len(steps))):
            for _, _, move in chance.sample(steps, min(8, len(steps))):
                yield from ((name, v) for v in game.judge(position, move).violations)
            for own in game.outcome(position).lines.values():
                yield from ((name, line) for line in own)


def spoken(speech: Speech, game: str, said: Violation | ScoreLine) -> str:
    if isinstance(said, Violation):
        return speech.violation(game, said)
    return speech.why(said)


@pytest.mark.parametrize("told", [told_in_playthroughs, told_in_random_play])
def test_what_is_said_of_whole_games_is_for_people(told):
    speeches = [Speech(code, {"a": "Anna", "anna": "Anna"}) for code in LANGUAGES]
    said: dict[str, str] = {}
    rules = set()
    for game, one in told():
        english = one.text if isinstance(one, Violation) else one.why
        if english in said:
            continue
        said[english] = game
        if isinstance(one, Violation):
            rules.add(one.rule.id)
        said |= {spoken(speech, game, one): game for speech in speeches}

    assert {text: game for text, game in said.items() if bad_in(text)} == {}
    assert len(rules) > 20


def test_questions_and_their_answers_are_for_people():
    answers = [answer_to(game) for file in FILES for game in games_in(file) if "record" not in game]
    asked = [question for answer in answers for question in answer["open"]]

    assert len(asked) > 3
    for question in asked:
        told = [answer["answer"] for answer in question["answers"]]
        assert [bad for text in (question["question"], *told) for bad in bad_in(text)] == []
        assert len(set(told)) == len(told)
        assert question["cells"]
