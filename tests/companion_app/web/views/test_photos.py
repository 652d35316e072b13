"""Photos and print sheets are made apart from the game; what is refused says why and until when."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path

import pillow_heif
import pypdfium2
import pytest
from PIL import Image

from companion_app.hands.errors import HandLost, HandsFull, OneAtATime, TooLong, TooMuch
from companion_app.hands.pool import Hands
from companion_app.hands.work import PHOTO, Work
from companion_app.web.lessons.photo_reading import read_photo
from companion_app.web.scoring import scored_photo
from companion_app.web.speech import LANGUAGES, Speech, catalogue
from companion_app.web.views.photos import PRINTS
from engine.setfile import built_in_set
from models.sheets.paper import sheet_of
from models.sheets.pdf import Pdf
from models.sheets.single import instruction_sheet
from models.sheets.words import ENGLISH, Words
from tests.companion_app.web.conftest import busy
from tests.companion_app.web.views.test_games import read
from vision.core.errors import PictureError


class Refusing(Hands):
    """Hands that do nothing."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def do(self, work, call, *args, whose=""):
        raise self._error


def send_photo(guest, language="en", data=b"a picture"):
    photo = {"photo": (io.BytesIO(data), "a.jpg"), "game": "schlangennest"}
    return guest.client.post(
        f"/api/photo-score?lang={language}", data=photo, headers={"X-Snake-Eye": guest.token}
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("error", "status", "waits"),
    [
        (HandsFull(), 503, True),
        (OneAtATime(), 503, True),
        (TooLong(), 503, True),
        (TooMuch(), 413, False),
        (HandLost(), 503, True),
    ],
)
def test_work_that_was_not_done_is_refused_in_a_sentence(played, error, status, waits, language):
    played.companion.hands = Refusing(error)
    played.companion.read_photo = read

    refused = send_photo(played.guest(), language)

    said = json.loads(refused.data)["error"]
    assert refused.status_code == status
    assert said["code"] == error.code
    assert said["text"] not in ("", f"error-{error.code}")
    assert ("Retry-After" in refused.headers) is waits


def test_a_photo_is_scored_while_the_desk_is_busy(played):
    played.companion.read_photo = read
    guest = played.guest()
    with busy(played.desk):
        scored = send_photo(guest)

    assert scored.status_code == 200


def read_as_carnival(data, game, box, folders):
    advice = {"what": "unknown-tile", "text": "", "box": [0, 0, 1, 1], "looks_like": "carnival"}
    return {**read(data, game, box, folders), "quality": {"ok": True, "advice": [advice]}}


def read_as_nothing(data, game, box, folders):
    advice = {"what": "unknown-tile", "text": "", "box": [0, 0, 1, 1], "looks_like": None}
    return {**read(data, game, box, folders), "quality": {"ok": True, "advice": [advice]}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_photo_of_another_game_says_which_and_offers_it(played, language):
    played.companion.read_photo = read_as_carnival

    answer = json.loads(send_photo(played.guest(), language).data)

    assert answer["looks_like"] == "carnival"
    assert answer["players"] == [] and answer["scores"] == {}
    assert "Carnival" in answer["advice"][0]
    assert "Schlangennest" in answer["advice"][0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_photo_of_no_known_game_says_so(played, language):
    played.companion.read_photo = read_as_nothing

    answer = json.loads(send_photo(played.guest(), language).data)

    assert answer["looks_like"] is None
    assert "Schlangennest" in answer["advice"][0]


def test_print_sheets_are_limited_a_minute(played):
    played.companion.hands = Refusing(HandsFull())
    client = played.guest().client

    answers = [client.get("/api/print/snekagon.zip").status_code for _ in range(PRINTS + 1)]

    assert answers == [503] * PRINTS + [429]


LARGEST_PHOTO = (Path(__file__).parents[3] / "examples/largest.heic").read_bytes()
"""48 megapixels of one colour, as phones pack them: ``Image.new("RGB", (8000, 6000))``, written by
``pillow_heif`` in a few kilobytes."""


def test_the_largest_photo_of_a_phone_is_read_within_the_limits():
    assert pillow_heif.open_heif(LARGEST_PHOTO).size == (8000, 6000)

    with Hands() as hands:
        state = hands.do(PHOTO, read_photo, LARGEST_PHOTO, "schlangennest", "schlangennest", ())

    assert state["tiles"] == []


def test_a_photo_that_does_not_fit_is_stopped_in_the_worker():
    small = Work("photo", memory_mb=96)
    with Hands() as hands:
        with pytest.raises((TooMuch, PictureError)):
            hands.do(small, read_photo, LARGEST_PHOTO, "schlangennest", "schlangennest", ())

        assert hands.do(PHOTO, len, [1, 2]) == 2


OUTLINE = [[0, 0], [9, 0], [9, 9], [0, 9]]


def test_equal_lines_of_a_score_are_added_up_wherever_they_stand(played):
    tiles = [{"tile": "blue/straight", "at": [x, 0], "turns": 0} for x in range(5)]
    tiles += [{"tile": "red/straight", "at": [x, 1], "turns": 0} for x in range(2)]
    sent = {"game": "schlangennest", "table": {"tiles": tiles}}

    said = played.guest().post("/api/photo-score", sent).get_json()

    for one in said["players"]:
        reasons = [line["why"] for line in one["lines"]]
        assert len(reasons) == len(set(reasons))
        assert sum(line["points"] for line in one["lines"]) == one["score"]
    assert max(line["count"] for line in said["players"][0]["lines"]) > 1
    assert said["over"] is False


def read_with_outlines(data, game, box, folders):
    lying = {"tile": "blue/curve", "at": [0, 0], "turns": 1, "outline": OUTLINE}
    doubt = {"tile": "red/curve", "at": [1, 0], "turns": 0, "outline": OUTLINE, "why": "glare"}
    return {"size": [90, 60], "tiles": [lying], "unsure": [doubt], "clay": []}


def test_what_was_read_comes_with_its_outlines_and_is_scored_anew_when_put_right(played):
    played.companion.read_photo = read_with_outlines
    guest = played.guest()

    seen = json.loads(send_photo(guest, "de").data)["seen"]
    put_right = [one["lies"] for one in seen["tiles"]]
    again = guest.post(
        "/api/photo-score",
        {
            "game": "schlangennest",
            "set": seen["set"],
            "table": {"tiles": put_right, "clay": seen["clay"]},
        },
    )

    assert seen["size"] == [90, 60]
    assert [(one["sure"], one["outline"]) for one in seen["tiles"]] == [
        (True, OUTLINE),
        (False, OUTLINE),
    ]
    assert {one["tile"] for one in seen["kinds"]} >= {"blue/curve", "red/curve"}
    assert [one["id"] for one in again.get_json()["players"]] == ["blue", "red"]
    assert all(one["winner"] for one in again.get_json()["players"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_that_is_no_picture_gets_a_sentence_without_a_path(played, language):
    played.companion.read_photo = read_photo

    refused = send_photo(played.guest(), language)

    said = json.loads(refused.data)["error"]
    assert (refused.status_code, said["code"], said["detail"]) == (422, "no-photo", "")
    assert "JPEG" in said["text"]
    assert "/" not in said["text"]


def of_100_megapixels() -> bytes:
    """Return a PNG that has only its header."""
    head = struct.pack(">IIBBBBB", 10_000, 10_000, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_photo_of_too_many_pixels_is_not_called_no_picture(played, language):
    played.companion.read_photo = read_photo

    refused = send_photo(played.guest(), language, of_100_megapixels())

    said = refused.get_json()["error"]
    assert (refused.status_code, said["code"], said["detail"]) == (413, "too-large", "")
    assert "12" in said["text"]


@pytest.mark.parametrize(
    ("language", "tile"),
    [("en", "red"), ("de", "rot"), ("fr", "rouge"), ("cs", "červen"), ("ru", "красн")],
)
def test_instructions_to_print_have_the_guests_words_and_names_of_tiles(played, language, tile):
    url = f"/api/print/snekagon/instructions.pdf?lang={language}&paper=letter"
    answer = played.guest().client.get(url)

    assert answer.mimetype == "application/pdf"
    with pypdfium2.PdfDocument(answer.data) as pdf:
        text = pdf[0].get_textpage().get_text_range()
    assert tile in text.lower()
    assert catalogue(language)["page"]["sheet-bar"] in text


def test_part_that_a_box_has_not_is_not_found(played):
    assert played.guest().client.get("/api/print/snekagon/die.pdf").status_code == 404


class Noting(Pdf):
    """A PDF that notes where its lines of text begin and end, in millimetres."""

    def __init__(self, *args) -> None:
        self.lines: list[tuple[str, float, float]] = []
        super().__init__(*args)

    def words(self, at, text, size, *, bold=False, anchor="start", colour="#222222") -> None:
        left = at[0] - (self.width_of(text, size, bold=bold) if anchor == "end" else 0.0)
        self.lines.append((text, left, left + self.width_of(text, size, bold=bold)))
        super().words(at, text, size, bold=bold, anchor=anchor, colour=colour)


def words_in(language: str) -> Words:
    speech = Speech(language)
    return Words({key: speech.page(f"sheet-{key}") for key in ENGLISH}, speech.tile)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_heading_of_a_sheet_ends_before_the_words_at_the_bar(tmp_path, language, paper):
    words = words_in(language)
    pdf = Noting(tmp_path / "x.pdf", sheet_of(paper), "x", words)

    pdf.begin(words.say("back", title="Schlangennest", n=10, of=12))

    (_, _, right), (_, left, _) = pdf.lines
    assert right < left


@pytest.mark.parametrize("language", LANGUAGES)
def test_list_of_what_to_cut_out_has_whole_names(tmp_path, language, monkeypatch):
    made: list[Noting] = []

    def noted(*args) -> Noting:
        made.append(Noting(*args))
        return made[-1]

    monkeypatch.setattr("models.sheets.single.Pdf", noted)
    box, words = built_in_set("snekagon5g"), words_in(language)

    instruction_sheet(
        tmp_path / "x.pdf", "x", sheet_of("a4"), box, 19.0, list(box.counts.items()), words
    )

    listed = {text: right for text, _, right in made[0].lines}
    wanted = [f"{count} x {words.tile(tile)}" for tile, count in box.counts.items()]
    assert [one for one in wanted if one not in listed] == []
    assert max(listed[one] for one in wanted) <= sheet_of("a4").width


def test_photo_without_colours_is_told_so(played):
    table, grey = Path(__file__).parents[3] / "examples" / "table.jpg", io.BytesIO()
    with Image.open(table) as picture:
        picture.convert("L").save(grey, "JPEG")

    answer = scored_photo(
        played.companion.place, "de", read_photo, grey.getvalue(), "schlangennest", None
    )

    assert Speech("de").page("advice-grey") in answer["advice"]
