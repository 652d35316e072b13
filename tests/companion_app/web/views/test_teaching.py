"""Teaching in the page: from a photo over names to a box that is kept, given away and taken in."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from companion_app.hands.work import LEARN, Work
from companion_app.web.speech import Speech
from companion_app.web.views.teaching import DRAFT
from engine.setfile import SAFE_NAME
from models.teaching.labels import parse_labels
from models.teaching.parcel import exported
from models.teaching.shelf import name_for
from models.teaching.store import game_file
from models.teaching.teach import Lesson, teach
from tests.lessons import ShortLessons, short_lessons
from vision.classify.taught import FORMAT, find_taught

SIDE = 84
COLOURS = {"sea": (190, 110, 40), "wood": (50, 130, 60), "sun": (60, 200, 235)}
LAID = ("sea", "sun", "wood", "sun", "wood", "sea")


def face(kind: str) -> np.ndarray:
    """Return a tile with a bar and a dot."""
    tile = np.full((SIDE, SIDE, 3), COLOURS[kind], np.uint8)
    cv2.rectangle(tile, (10, 10), (SIDE - 11, 26), (245, 245, 245), -1)
    cv2.circle(tile, (26, 58), 6 + 3 * len(kind), (20, 20, 30), -1)
    return cv2.copyMakeBorder(tile[4:-4, 4:-4], 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(30, 30, 30))


def photo(turned: int | None = None) -> bytes:
    """Return six tiles of three kinds, a finger apart on a plain table, as a JPEG; one turned."""
    rng = np.random.default_rng(4)
    table = np.clip(rng.normal((150, 178, 200), 4, (560, 720, 3)), 0, 255).astype(np.uint8)
    for number, kind in enumerate(LAID):
        y, x = divmod(number, 3)
        top, left = 110 + 150 * y, 150 + 150 * x
        table[top : top + SIDE, left : left + SIDE] = np.rot90(face(kind), number == turned)
    return bytes(cv2.imencode(".jpg", table, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())


def send(guest, path, **form):
    return guest.client.post(
        path, data=form, content_type="multipart/form-data", headers={"X-Snake-Eye": guest.token}
    )


def kinds_of(lesson) -> dict[int, str]:
    """Return the kind of each tile by where it lies."""
    out = {}
    for number, tile in enumerate(lesson["tiles"]):
        x, y = np.mean(tile["outline"], axis=0)
        out[number] = LAID[round((x - 192) / 150) + 3 * round((y - 152) / 150)]
    return out


@pytest.fixture
def found(played):
    """A host whose photo was looked at, and the group of each kind in it; lessons are short."""
    played.companion.hands = ShortLessons(played.companion.hands)
    host = played.host()
    sent = send(host, "/api/teaching/photo", photo=(io.BytesIO(photo()), "a.jpg"), shape="square")
    lesson = sent.get_json()["lesson"]
    kinds = kinds_of(lesson)
    return played, host, {kinds[n]: str(t["group"]) for n, t in enumerate(lesson["tiles"])}


@pytest.fixture(scope="session")
def parcel(tmp_path_factory):
    """A taught box as one file."""
    folder = tmp_path_factory.mktemp("parcel")
    cv2.imwrite(str(folder / "a.png"), np.concatenate([face(kind) for kind in COLOURS], axis=1))
    tiles = [{"tile": kind, "at": [x, 0]} for x, kind in enumerate(COLOURS)]
    labels = parse_labels({"photos": {"a.png": tiles}}, "square")
    with short_lessons():
        teach(Lesson("my-box", "square", folder, labels, grid=(3, 1)), folder / "sets")
    return exported(folder / "sets", "my-box")


@pytest.fixture
def taught(played, parcel):
    """A host who has a taught box."""
    host = played.host()
    taken = send(host, "/api/teaching/import", box=(io.BytesIO(parcel), "x.zip"))
    assert [box["title"] for box in taken.get_json()["boxes"]] == ["my-box"]
    return played, host


def test_tiles_are_found_and_grouped_by_likeness(played):
    host = played.host()

    shown = send(
        host, "/api/teaching/photo", photo=(io.BytesIO(photo()), "a.jpg"), shape="square"
    ).get_json()

    kinds = kinds_of(shown["lesson"])
    by_group = Counter((t["group"], kinds[n]) for n, t in enumerate(shown["lesson"]["tiles"]))
    assert len(kinds) == len(LAID)
    assert sorted(by_group.values()) == [2, 2, 2]
    assert host.client.get("/api/teaching/tiles/0.jpg").mimetype == "image/jpeg"


def test_seats_see_the_shelf_but_no_lesson(played, script):
    played.begin(script.record)
    guest = played.seat("blue")

    refused = send(
        guest, "/api/teaching/photo", photo=(io.BytesIO(photo()), "a.jpg"), shape="square"
    )

    assert refused.status_code == 403
    assert "lesson" not in guest.get("/api/teaching")
    assert guest.client.get("/api/teaching/tiles/0.jpg").status_code == 403


def test_games_and_their_tiles_are_called_in_the_guests_words(played):
    shelf = played.host().get("/api/teaching?lang=de")

    assert shelf["titles"]["snekagon5g"] == "Snekagon 5G"
    assert shelf["words"]["blue/curve"] == "blaue Kurve"
    tiles = shelf["boards"]["snekagon"]["tiles"]
    assert tiles["red/4/0+"] == "rotes 4er-Plättchen, an einem Ende geknickt"


def test_named_groups_become_a_box_that_is_offered_and_played(found):
    played, host, groups = found
    played.use_sets(played.store.path.parent / "sets")
    tiles = host.get("/api/teaching")["games"]["schlangennest"]
    names = dict(zip(groups.values(), tiles, strict=False))
    host.post("/api/teaching/lesson", {"names": names})
    asked = {"name": "my-nest", "game": "schlangennest"}
    assert host.post("/api/teaching/learn", asked).status_code == 200
    played.app.extensions[DRAFT].wait(300)
    shelf = host.get("/api/teaching")

    games = {game["game"]: game for game in host.get("/api/games")["games"]}
    begun = host.post(
        "/api/new", {"game": "schlangennest", "set": "my-nest", "players": ["blue", "red"]}
    )

    assert shelf["learning"]["state"] == "learnt"
    assert [(box["name"], len(box["kinds"])) for box in shelf["boxes"]] == [("my-nest", 3)]
    assert [one["set"] for one in games["schlangennest"]["sets"]] == ["schlangennest", "my-nest"]
    assert "my-nest" not in [one["set"] for one in games["carnival"]["sets"]]
    assert begun.status_code == 200, begun.get_json()
    assert host.get("/api/state")["set"] == "my-nest"
    assert played.desk.match.box.name == "my-nest"


@pytest.fixture
def nest(played):
    """A host who plays with a box of his own."""
    sets = played.companion.home / "sets"
    sets.mkdir()
    (sets / "my-nest.toml").write_text(game_file("my-nest", "schlangennest"), encoding="utf-8")
    manifest = {"format": FORMAT, "set": "my-nest", "lattice": "square", "game": "schlangennest"}
    (sets / "my-nest.json").write_text(json.dumps(manifest), encoding="utf-8")
    played.use_sets(sets)
    host = played.host()
    asked = {"game": "schlangennest", "set": "my-nest", "players": ["blue", "red"]}
    assert host.post("/api/new", asked).status_code == 200
    return played, host


def test_game_of_a_box_that_was_renamed_can_still_be_opened(nest):
    played, host = nest
    key = played.desk.match.key

    renamed = host.post("/api/teaching/boxes", {"rename": "my-nest", "to": "Grandma's nest"})

    (box,) = renamed.get_json()["boxes"]
    assert (box["name"], box["title"]) == ("my-nest", "Grandma's nest")
    assert host.get(f"/api/games/{key}")["set"] == "my-nest"
    assert host.client.get(f"/api/games/{key}/record.json").status_code == 200


def test_another_box_may_have_the_title_that_a_box_had_before(nest):
    played, host = nest

    host.post("/api/teaching/boxes", {"rename": "my-nest", "to": "Grandma's nest"})

    assert name_for(played.companion.home / "sets", "my-nest") == "my-nest-2"
    assert name_for(played.companion.home / "sets", "Grandma's nest") == "my-nest"


@pytest.mark.parametrize("name", ["no-such-box", "../page", "snekagon"])
def test_only_a_taught_box_is_renamed(nest, name):
    played, host = nest
    own = (played.companion.home / "page.json").read_bytes()

    refused = host.post("/api/teaching/boxes", {"rename": name, "to": "mine"})

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "cannot-teach")
    assert (played.companion.home / "page.json").read_bytes() == own


def test_box_of_the_running_game_is_deleted_only_after_its_end(nest):
    played, host = nest
    rules = played.companion.home / "sets" / "my-nest.toml"

    refused = host.post("/api/teaching/boxes", {"delete": "my-nest"})

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "box-played")
    assert rules.is_file()
    host.post("/api/end")
    assert host.post("/api/teaching/boxes", {"delete": "my-nest"}).status_code == 200
    assert not rules.exists()


def test_a_box_is_given_away_and_taken_in_renamed_and_deleted(taught):
    played, host = taught
    packed = host.client.get("/api/teaching/boxes/my-box.zip").data
    sets = played.store.path.parent / "sets"

    renamed = host.post("/api/teaching/boxes", {"rename": "my-box", "to": "his-box"})
    again = send(host, "/api/teaching/import", box=(io.BytesIO(packed), "x.zip"))
    taken = send(host, "/api/teaching/import", box=(io.BytesIO(packed), "x.zip"), name="my-box")
    deleted = host.post("/api/teaching/boxes", {"delete": "my-box"})

    assert [renamed.status_code, again.status_code, taken.status_code] == [200, 400, 200]
    assert again.get_json()["error"]["code"] == "teach-name-taken"
    boxes = deleted.get_json()["boxes"]
    assert [(box["name"], box["title"]) for box in boxes] == [("my-box-2", "my-box")]
    assert find_taught("my-box-2", (sets,)) is not None
    assert not list(sets.glob("my-box.*"))


def test_a_box_is_tried_on_a_photo(taught):
    tried = send(
        taught[1], "/api/teaching/trial", photo=(io.BytesIO(photo()), "b.jpg"), set="my-box"
    ).get_json()

    assert tried["sure"] + tried["unsure"] == len(LAID)


@pytest.mark.parametrize("name", ["../../evil.json", "run.py", "sub/box.json"])
def test_files_that_are_no_box_are_refused(played, name):
    host = played.host()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr(name, "{}")

    answer = send(host, "/api/teaching/import", box=(io.BytesIO(out.getvalue()), "x.zip"))

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad-box")
    assert not list(played.store.path.parent.glob("**/evil.json"))


def test_tiles_are_moved_between_groups(played):
    host = played.host()
    send(host, "/api/teaching/photo", photo=(io.BytesIO(photo()), "a.jpg"), shape="square")

    alone = host.post("/api/teaching/lesson", {"tiles": [0], "into": "new"}).get_json()["lesson"]
    out = host.post("/api/teaching/lesson", {"tiles": [1], "into": "out"}).get_json()["lesson"]
    bad = host.post("/api/teaching/lesson", {"tiles": [99], "into": "new"})

    groups = [tile["group"] for tile in alone["tiles"]]
    assert groups.count(groups[0]) == 1
    assert out["tiles"][1]["group"] == -2
    assert bad.status_code == 400


def test_tiles_that_are_moved_together_stay_together(played):
    host = played.host()
    sent = send(host, "/api/teaching/photo", photo=(io.BytesIO(photo()), "a.jpg"), shape="square")
    everything = list(range(len(sent.get_json()["lesson"]["tiles"])))

    def groups_after(tiles, into):
        answer = host.post("/api/teaching/lesson", {"tiles": tiles, "into": into})
        return [tile["group"] for tile in answer.get_json()["lesson"]["tiles"]]

    together = groups_after([0, 1], "new")
    groups_after(everything, "out")
    back = groups_after([0, 1], "new")

    assert together[0] == together[1] not in together[2:]
    assert back[:2] == [0, 0]


def test_tiles_are_shown_turned_like_the_group_that_they_join(played):
    host = played.host()
    send(host, "/api/teaching/photo", photo=(io.BytesIO(photo(5)), "a.jpg"), shape="square")
    files = played.app.extensions[DRAFT]._files
    lesson = files.read()
    one, other = (number for number, kind in kinds_of(lesson).items() if kind == "sea")
    # Two groups, as when likeness was not seen: each tile is shown as it lies.
    lesson["tiles"][one] |= {"group": 8, "steps": 0}
    lesson["tiles"][other] |= {"group": 9, "steps": 0}
    files.write(lesson)

    def shown(number):
        jpeg = np.frombuffer(host.client.get(f"/api/teaching/tiles/{number}.jpg").data, np.uint8)
        return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.float64)

    def apart(number):
        return np.abs(shown(number) - shown(other)).mean()

    before = apart(one)
    host.post("/api/teaching/lesson", {"tiles": [one], "into": 9})
    again = send(host, "/api/teaching/photo", photo=(io.BytesIO(photo()), "b.jpg"), shape="square")

    tiles = again.get_json()["lesson"]["tiles"]
    joined = [number for number, tile in enumerate(tiles) if tile["group"] == 9]
    assert len(joined) == 4
    assert max(apart(number) for number in joined) < before / 2


OWN_FAULTS = (
    (KeyError("n"), "broken"),
    (ValueError("n"), "broken"),
    (OSError(28, "full"), "not-kept"),
)


class Broken:
    """Hands that look, and fail at learning in a way that nobody foresaw."""

    def __init__(self, fault: Exception) -> None:
        self.fault = fault

    def do(self, work: Work, call: Callable[..., object], *args: object) -> object:
        if work is LEARN:
            raise self.fault
        return call(*args)


def test_fault_of_our_own_while_learning_is_said_and_logged(found, caplog):
    played, host, groups = found
    host.post("/api/teaching/lesson", {"names": {group: kind for kind, group in groups.items()}})
    lesson = played.app.extensions[DRAFT]

    for fault, code in OWN_FAULTS:
        caplog.clear()
        lesson._hands = Broken(fault)
        host.post("/api/teaching/learn", {"name": "my-box"})
        lesson.wait(60)

        learning = host.get("/api/teaching")["learning"]
        assert (learning["state"], learning["code"]) == ("failed", code)
        assert learning["text"]
        assert "a lesson was not learnt" in caplog.text


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Бабушкина коробка", "babushkina-korobka"),
        ("Boîte d’été", "boite-d-ete"),
        ("Моя / ../коробка", "moya-korobka"),
        ("snekagon", "snekagon-2"),
        ("  --  ", None),
    ],
)
def test_a_box_may_have_any_name_and_its_files_a_safe_one(tmp_path, title, name):
    made = name_for(tmp_path, title)

    assert SAFE_NAME.fullmatch(made)
    assert made == (name or made)
    assert name_for(tmp_path, title) == made


def test_a_box_is_renamed_in_any_script_and_its_files_keep_their_name(taught):
    played, host = taught
    renamed = host.post("/api/teaching/boxes", {"rename": "my-box", "to": "Krabička č. 1 蛇"})
    (box,) = host.get("/api/teaching")["boxes"]
    parcel = host.client.get(f"/api/teaching/boxes/{box['name']}.zip").data
    taken = send(host, "/api/teaching/import", box=(io.BytesIO(parcel), "x.zip"), name="Ещё одна")
    nameless = host.post("/api/teaching/boxes", {"rename": box["name"], "to": " \u200b "})
    doubled = host.post("/api/teaching/boxes", {"rename": box["name"], "to": "Ещё одна"})

    assert renamed.status_code == 200
    assert (box["name"], box["title"]) == ("my-box", "Krabička č. 1 蛇")
    assert {(b["name"], b["title"]) for b in taken.get_json()["boxes"]} == {
        ("my-box", "Krabička č. 1 蛇"),
        ("eshche-odna", "Ещё одна"),
    }
    assert nameless.get_json()["error"]["code"] == "teach-no-name"
    assert doubled.status_code == 400
    assert find_taught(box["name"], (played.companion.home / "sets",)) is not None


def test_tiles_are_marked_by_hand_where_none_is_found(played):
    host = played.host()
    bare = cv2.imencode(".png", np.full((300, 400, 3), 200, np.uint8))[1].tobytes()
    first = send(host, "/api/teaching/photo", photo=(io.BytesIO(bare), "a.jpg"), shape="square")
    assert (first.status_code, first.get_json()["lesson"]["tiles"]) == (200, [])

    corners = [[0.6, 0.2], [0.2, 0.2], [0.2, 0.6], [0.6, 0.6]]
    marked = host.post("/api/teaching/mark", {"photo": 0, "outline": corners}).get_json()
    wrong = host.post("/api/teaching/mark", {"photo": 0, "outline": corners[:3]})

    (tile,) = marked["lesson"]["tiles"]
    assert np.allclose(tile["outline"], [[80, 60], [240, 60], [240, 180], [80, 180]], atol=1)
    assert tile["group"] == 0
    assert wrong.status_code == 400
    assert host.client.get("/api/teaching/photos/0.jpg").mimetype == "image/jpeg"


def test_learning_before_two_kinds_have_names_says_so_in_the_guests_words(found):
    played, host, groups = found
    words = Speech("de").page("error-teach-few-kinds")

    nothing = host.post("/api/teaching/learn?lang=de", {"name": "my-box"})
    host.post("/api/teaching/lesson", {"names": {groups["sea"]: "fox", groups["sun"]: "unknown"}})
    host.post("/api/teaching/learn", {"name": "my-box"})
    played.app.extensions[DRAFT].wait(300)

    error = nothing.get_json()["error"]
    assert (nothing.status_code, error["text"], error["detail"]) == (400, words, "")
    learning = host.get("/api/teaching?lang=de")["learning"]
    assert (learning["state"], learning["text"]) == ("failed", words)


def test_kind_that_no_tile_of_the_game_is_called_is_named(found):
    played, host, groups = found
    host.post("/api/teaching/lesson", {"names": {groups["sea"]: "fox", groups["sun"]: "fox"}})
    host.post("/api/teaching/learn", {"name": "my-nest", "game": "schlangennest"})
    played.app.extensions[DRAFT].wait(300)

    learning = host.get("/api/teaching?lang=de")["learning"]

    assert learning["text"] == Speech("de").page("error-teach-not-of-game") + " fox"


def test_kinds_may_be_named_with_emoji_and_lose_what_cannot_be_seen(found):
    _, host, groups = found

    named = {groups["sea"]: " 👩‍🚀\u200b\u202e ", groups["sun"]: "\u200d"}
    lesson = host.post("/api/teaching/lesson", {"names": named}).get_json()["lesson"]

    assert lesson["names"] == {groups["sea"]: "👩‍🚀", groups["sun"]: ""}


def test_title_of_another_box_is_refused_in_the_guests_words(nest):
    played, host = nest
    sets = played.companion.home / "sets"
    other = {"format": FORMAT, "set": "his", "lattice": "square", "game": None, "title": "His"}
    (sets / "his.json").write_text(json.dumps(other), encoding="utf-8")

    refused = host.post("/api/teaching/boxes?lang=de", {"rename": "my-nest", "to": "His"})

    said = refused.get_json()["error"]
    assert (said["code"], said["detail"]) == ("teach-name-taken", "")
    assert said["text"] == Speech("de").page("error-teach-name-taken")
