"""Every sentence of a rulebook that decides a move or a point is carried by a rule of ours.

The rulebooks are not part of the project: their sentences stand here in a few of their own words.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from engine.games import GAMES
from tests.engine.test_rulings import NUMBERS
from tests.engine.test_sources import BOOKS

SHARED = os.environ.get("SNAKE_EYE_SHARED")

SENTENCES: dict[str, dict[str, tuple[str, ...]]] = {
    "schlangennest": {
        "72 square snakecards in four sets of 18 cards": ("none-left",),
        "This one could be used by every player as a 'wildcard'": ("grey-joins",),
        "complete the longest owncolored snake": ("points",),
        "The players have to agree about the size of the snakes nest": ("field-size",),
        "7x9 squares or 6x10 squares": ("field-size",),
        "The first player puts one of his cards on the table": ("first-touches",),
        "nearest to a card which already lays on the table": ("first-touches",),
        "It's never allowed to connect parts of different colors": ("colours-joined",),
        "A gray part connected with a colored part is used as a part of this color": (
            "colours-joined",
            "grey-joins",
        ),
        "every new card has to lengthen the players' own snake": ("own-end", "in-pieces"),
        "takes a snakecard of his own": ("not-your-card",),
        "the snakepart of his own color (not the gray one)": ("own-end",),
        "he may use it to lengthen his snake": ("grey-joins",),
        "lengthen his snake at the other end of the gray part(s)": ("own-end",),
        "the gray part may lengthen your opponents snake automatically": ("grey-joins",),
        "three snakes reach the same free square": ("three-at-one-place",),
        "all four snakes reaches two neighboured free squares": ("four-at-two-places",),
        "removes his snakecard and lays another card": ("three-at-one-place",),
        "has to connect both ends of the same snake": ("must-close",),
        "he has to use his tail-card and finishes his snake": ("must-close",),
        "The other snake will be closed and can be opened later": ("must-close", "open-first"),
        "the next player doesn't has a curvilinear snakecard": ("cannot-be-closed",),
        "if necessary he has to place his head- or tail-card": ("cannot-be-closed", "must-move"),
        "when the maximal number of squares are reached horizontally and vertically": (
            "how-the-border-comes",
        ),
        "Outside of this field you are not allowed to place": ("outside-field",),
        "But it's allowed to place your head- and tail-cards": ("outside-field",),
        "the only possibility to place a snakecard": ("must-move",),
        "If your snake is complete with head and tail": ("snake-finished",),
        "it's possible that one player plays alone": ("snake-finished",),
        "your snake gets a gray head by another player": ("snake-finished",),
        "At your next turn you open your snake instead of placing a card": ("open-first",),
        "you turn a curvilinear snakecard of your own color at 90°": (
            "not-own-curve",
            "not-a-quarter",
            "still-closed",
            "no-loop",
        ),
        "remove a straight snakecard of your own and replace the tail-card": (
            "can-be-opened",
            "not-own-straight",
            "not-the-tail",
            "not-along",
        ),
        "this will bring you one point because a straight part counts one point": ("ring-stays",),
        "your snake only consists of not-turnable curvilinear parts": ("ring-stays",),
        "The game ends, when all players have finished their snakes": ("game-over",),
        "the snake consisting of the most parts (parts not cards)": ("points",),
        "Each gray part and each colored part counts one point": ("points",),
        "Play without border": ("how-the-border-comes",),
        "The two cards with the longest distance show you the first and last row": (
            "how-the-border-comes",
        ),
        "Place the fourth no-players snake across the field": ("laid-before",),
        "you may build a frame around the field": ("laid-before",),
        "every player has to place his tail-card": ("tail-first",),
        "The other places the tailcards of his both snakes": ("other-snake",),
        "every player places two parts at his turn, one of each color": ("other-snake",),
        "At every turn he chooses which snake he will lengthen": ("other-snake", "must-close"),
    },
    "snekagon": {
        "16 tiles of 2 colors (8 tiles each)": ("none-left", "too-many"),
        "The length of a snake counts as the number of covered hexagons": ("longest-counts",),
        "There are no tiles on the board at the beginning": ("first-is-1",),
        "players take turns building snakes": ("not-your-turn",),
        "A snake cannot touch itself": ("touches-itself",),
        "too sharp a turn also counts": ("sharp-turn",),
        "A snake cannot branch out": ("branches",),
        "two snakes of the same player cannot touch each other": ("own-snakes-touch",),
        "the starting player places a 1-tile on the board": ("first-is-1",),
        "players alternate placing exactly 1 piece each turn": ("must-move",),
        "Place a tile so that it doesn't touch any other tile": ("touches-only-opponent",),
        "Place a tile so that it touches another one of your pieces": (
            "branches",
            "touches-only-opponent",
        ),
        "You can join two of your snakes this way": ("own-snakes-touch",),
        "The newly placed tile can touch opponent's tiles": ("touches-only-opponent",),
        "he passes and the opponent plays again": ("must-move",),
        "The game ends when neither player can make a turn": ("game-over",),
        "In case of same lengths": ("longest-counts",),
        "connect two ends of a snake forming a circle": ("touches-itself",),
    },
    "snekagon5g": {
        "Each set includes": ("none-left", "too-many"),
        "Only one (longest) snake counts": ("longest-counts",),
        "Arrange the game boards in a circle": ("boards-apart",),
        "Always use as many game boards as there are players present": ("boards-apart",),
        "players take turns building snakes from their tiles": ("not-your-turn",),
        "connect the individual parts of the snake with the end part": ("branches",),
        "The snake must not touch itself": ("touches-itself",),
        "It is not allowed to make sharp turns": ("sharp-turn",),
        "Branching of the snake is not allowed": ("branches",),
        "Snakes that belong to the same player may not touch each other": ("own-snakes-touch",),
        "this snake cannot be extended anymore": ("touches-itself",),
        "On each turn, place one tile from your supply": ("must-move",),
        "so that it does not touch any other tile": ("touches-only-opponent",),
        "may not be placed on either of the two holes (eyes)": ("on-eye",),
        "or already placed snake tiles": ("cell-taken",),
        "on the available spaces on the game board": ("off-board",),
        "connects to your snake at one of its ends": ("branches", "not-an-end"),
        "You can also connect two of your snakes in this way": ("own-snakes-touch",),
        "A tile placed in this way can touch the opponent's tiles": ("touches-only-opponent",),
        "from the same field on any of the adjacent floors": ("other-field", "boards-apart"),
        "There are always only two adjacent game boards available": ("boards-apart",),
        "A newly placed tile may touch an opponent's tile": ("touches-only-opponent",),
        "Mark both the place where you drilled the snake": ("clay-amiss",),
        "with the open end facing the body of the snake": ("clay-amiss",),
        "do not mark it with a clay piece": ("clay-amiss",),
        "a closed clay piece if you drill further into the next adjacent floor": ("clay-amiss",),
        "he/she passes the turn and an opponent plays": ("must-move",),
        "The game ends when no player can make their turn": ("game-over",),
        "In the event of a tie, the players share the victory": ("longest-counts",),
        "must not deviate more than 60 degrees": ("against-direction",),
    },
    "sssnake": {
        "60 cartes de parties rectilignes": ("none-left",),
        "8 cartes de 2 parties": ("second-strand",),
        "Le premier joueur qui réussit à relier la tête et la queue": ("closed-wins",),
        "Les autres joueurs suivent dans le sens des aiguilles": ("not-your-turn",),
        "le joueur lance le dé une fois": ("not-rolled", "already-rolled"),
        "tire de la pioche le nombre de cartes indiqué par le dé": ("wrong-draw", "not-drawn"),
        "compléter son serpent ou celui de son voisin de gauche": ("wrong-snake", "must-move"),
        "l'ajoute au serpent de son voisin de gauche": ("wrong-snake",),
        "Il doit alors l'ajouter à son propre serpent": ("wrong-snake",),
        "elle sort définitivement du jeu": ("could-be-laid", "not-the-roller"),
        "Il en choisit une des deux": ("wrong-snake",),
        "le voisin de gauche redonne la carte au joueur": ("wrong-snake",),
        "Il choisit 2 cartes qu'il ajoute à son serpent": ("wrong-snake",),
        "Les cartes peuvent être posées à chaque extrémité du serpent": (
            "not-at-an-end",
            "not-joined",
        ),
        "compte tenu des cartes déjà posées": ("not-feasible", "dead-end"),
        "Une fois posée, une carte ne peut plus être déplacée": ("cell-taken",),
        "ne peuvent pas être utilisées pour compléter un serpent": ("could-be-laid",),
        "en utilisant toutes ses cartes": ("closes-too-early", "closed-wins"),
        "Si toutes les cartes ont été utilisées": ("missing-cards", "game-over"),
        "besoin du plus petit nombre de cartes": ("missing-cards",),
        "autant de points négatifs qu'il lui manque de cartes": ("missing-cards",),
        "cartes optimales": ("missing-cards",),
    },
    "carnival": {
        "Этот тайл лежит на столе неподвижно до конца игры": ("not-replaceable",),
        "Раздайте каждому игроку по 4 тайла": ("drawing",),
        "того цвета, который направлен на него": ("colours-of-players",),
        "тех цветов, которые направлены к нему прямо и правее": ("colours-of-players",),
        "Участники ходят по часовой стрелке": ("not-your-turn",),
        "приставляя его к уже выставленному": ("not-at-an-end", "cell-taken"),
        "После чего он добирает тайл из колоды": ("drawing",),
        "нет тайлов цвета, за который он играет": ("undeclared",),
        "не менее 4 тайлов": ("drawing",),
        "игрок пропускает ход и берёт новый тайл из колоды": ("passing",),
        "ещё не были приставлены к дому тайлы змей": ("passing",),
        "перемешайте сброс и используйте его вновь": ("drawing",),
        "остались только головы и шляпы": ("finale-too-early",),
        "чтобы у вашей змеи было только одно ответвление": ("not-at-an-end",),
        "Если вам перекрыли ход": ("blocked", "connection-lost"),
        "Заменённый тайл отправляется в сброс": ("not-a-replacement",),
        "Соперник сможет проползти над вами через бревно": ("crossing-logs",),
        "настало время последнего раунда": (
            "finale-too-early",
            "last-round-only",
            "only-heads-and-hats",
            "already-announced",
        ),
        "сначала тайлы с головами, после со шляпами": ("heads-before-hats",),
        "у игрока на руках нет тайла головы для его змейки": ("pass-is-final",),
        "как только каждый, кто может, выложил тайлы головы и шляпы": (
            "game-over",
            "pass-is-final",
        ),
        "На тайлах указано, сколько баллов нужно прибавить или вычесть": ("points",),
        "за каждый бриллиант игрок получает": ("diamonds",),
        "Побеждает игрок, который набрал наибольшее количество баллов": ("points",),
        "уберите из колоды тайлы лишней змеи": ("colours-of-players",),
        "он должен взять себе один бриллиант из общей кучи": ("diamonds",),
        "Если змея соприкасается бриллиантом с тайлом неприятностей": ("diamonds",),
        "Игрок выкладывает подарок рядом со змеёй": ("gift-alone",),
        "перекрывать путь другим змеям подарком нельзя": ("blocks-an-end",),
        "Балл получает каждая змея": ("gifts",),
        "Этот тайл нельзя убирать со стола до конца игры": ("not-replaceable",),
        "Тайлом подарка нельзя заменить тайл змеи": ("not-a-replacement",),
        "Если с подарком соприкасается тайл бревна": ("gifts",),
        "кроме подарков и неприятностей": ("not-replaceable",),
        "Заменяемые тайлы должны совпадать по форме": ("wrong-shape",),
        "Любые тайлы бревна (кроме перекрёстка) можно заменить": (
            "not-a-replacement",
            "wrong-colour",
        ),
        "при помощи бревна можно изменить направление": ("connection-lost",),
        "чтобы у вашей змеи не появились новые ответвления": ("crossing-logs",),
        "больше нельзя будет сдвинуть с поля": ("crossing-logs", "not-replaceable"),
        "отнимите указанное на тайле число": ("knots-and-sores",),
        "Вы можете запутывать и чужих змей": ("knots-and-sores",),
        "такие тайлы отнимают у вас указанное число баллов": ("knots-and-sores",),
        "теряют указанное на тайле число баллов": ("troubles",),
        "Их нельзя будет поменять на другие тайлы": ("not-replaceable",),
        "закончить свою змейку, выставив тайл головы": ("not-your-head", "last-round-only"),
        "Шляпа надевается только на голову": ("no-bare-head", "hat-in-front", "which-head"),
        "Вы можете надеть шляпу и на чужую змейку": ("no-bare-head",),
        "Как только тайл шляпы выставлен на поле, его нельзя убрать": ("not-replaceable",),
    },
}
"""By game: a sentence that decides something, and the ids of the rules that carry it."""

NOT_OF_PLAY = {"snekagon": {5, 6}}
"""Rulings about what a picture shows; no move and no point hangs on them."""


def plain(text: str) -> str:
    """Return a text without marks of emphasis and line ends."""
    return re.sub(r"\s+", " ", re.sub(r"[*_`]|\[([^]]*)\]\([^)]*\)", r"\1", text))


@pytest.mark.parametrize("name", GAMES)
def test_every_decisive_sentence_is_carried_by_rules_of_its_game(name):
    known = {rule.id for rule in GAMES[name].facts.rules}

    assert all(SENTENCES[name].values())
    assert {rule for carried in SENTENCES[name].values() for rule in carried} <= known


@pytest.mark.parametrize("name", GAMES)
def test_rules_that_nobody_can_break_are_there_for_a_sentence_or_a_ruling(name):
    carried = {rule for ids in SENTENCES[name].values() for rule in ids}
    rules = [rule for rule in GAMES[name].facts.rules if not rule.can_be_broken]

    assert len(rules) >= 1
    assert [rule.id for rule in rules if rule.id not in carried and not rule.rulings] == []


@pytest.mark.parametrize("name", GAMES)
def test_every_ruling_that_decides_a_move_or_a_point_is_cited_by_a_rule(name):
    cited = {number for rule in GAMES[name].facts.rules for number in rule.rulings}

    assert NUMBERS[name] - cited == NOT_OF_PLAY.get(name, set())


@pytest.mark.skipif(SHARED is None, reason="the rulebooks are not part of the project")
@pytest.mark.parametrize("name", GAMES)
def test_the_sentences_are_those_of_the_rulebooks(name):
    assert SHARED is not None
    (book,) = (Path(SHARED) / "rules" / "rulebooks").glob(f"{BOOKS[name]:03d}_*.txt")
    text = plain(book.read_text(encoding="utf-8"))

    assert [said for said in SENTENCES[name] if plain(said) not in text] == []
