"""The Pi's camera: the real library on a virtual camera, and what only a stand-in can show.

What neither shows (focus, exposure, real timing) is at the end, for whoever has a Pi:
``.venv/bin/python -m pytest -m pi tests/vision/sources``.
"""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from vision.sources import FrameSource
from vision.sources.pi_camera import PiCamera, PiCameraError, PiCameraSettings
from vision.sources.pi_controls import LightWatch

ROOT = Path(__file__).parents[3]
PI_ROOT = ROOT / ".cache/pi-root"
CANNOT_HERE = 75
SIZE_PX = (1280, 960)
"""As in ``tests/pi_root/virtual.yaml``."""


# --- The real library, with frames from files ---


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``table.jpg``, its ``truth.json`` and what the Pi source made of it."""
    from models.lab.scenes.scene import make_scene

    if os.geteuid() != 0:
        pytest.skip("the Pi's camera library is tested in a chroot, which needs root")
    folder = tmp_path_factory.mktemp("pi")
    made = subprocess.run(
        [ROOT / "tests/pi_root/make-root"], capture_output=True, text=True, check=False
    )
    if made.returncode == CANNOT_HERE:
        pytest.skip(made.stderr.splitlines()[-1])
    assert made.returncode == 0, made.stderr
    scene = make_scene(3, subject="schlangennest", size_px=SIZE_PX)
    (folder / "table.jpg").write_bytes(scene.jpeg)
    (folder / "truth.json").write_text(json.dumps(scene.truth), encoding="utf-8")
    with (PI_ROOT.parent / "pi-root.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _lay_out(folder / "table.jpg")
        (folder / "said.json").write_text(_watched(), encoding="utf-8")
        for picture in (PI_ROOT / "out").glob("*.png"):
            shutil.copy(picture, folder)
    return folder


def _lay_out(picture: Path) -> None:
    for name in ("frames", "project", "out"):
        shutil.rmtree(PI_ROOT / name, ignore_errors=True)
        (PI_ROOT / name).mkdir()
    shutil.copy(picture, PI_ROOT / "frames/0.jpg")
    no_caches = shutil.ignore_patterns("__pycache__")
    for package in ("engine", "calibration", "vision", "tests/pi_root"):
        shutil.copytree(ROOT / package, PI_ROOT / "project" / package, ignore=no_caches)


def _watched() -> str:
    environment = {
        "PATH": "/usr/bin:/usr/sbin",
        "HOME": "/tmp",
        "PYTHONPATH": "/site:/project",
        "LIBCAMERA_LOG_LEVELS": "*:FATAL",
        # libcamera 0.4 leaves the status of a virtual camera's frames unset, and picamera2 throws
        # away what is not 0: so fresh memory is filled with zeros.
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=255",
    }
    chroot = shutil.which("chroot", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert chroot is not None
    ran = subprocess.run(
        [chroot, PI_ROOT, "/usr/bin/python3.13", "-m", "tests.pi_root.watch_table"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_real_library_gives_the_frames_of_the_file(pictured):
    table = cv2.imread(str(pictured / "table.jpg"))
    taken = sorted(pictured.glob("*.png"))

    assert table is not None
    assert [path.stem for path in taken] == [*(f"live-{n}" for n in range(6)), "still"]
    for path in taken:
        frame = cv2.imread(str(path))
        assert frame is not None
        assert frame.shape == table.shape
        # Colours are coded at half size, twice: by the JPEG and by the camera.
        assert np.abs(frame.astype(int) - table).mean() < 2.0, path.stem


def test_real_library_reports_another_form_than_asked(pictured):
    said = json.loads((pictured / "said.json").read_text(encoding="utf-8"))

    assert said["cameras"] == ["virtual-files"]
    assert said["facts"]["format"] == "NV12"
    assert tuple(said["facts"]["size_px"]) == SIZE_PX
    assert said["times_s"][:5] == sorted(said["times_s"][:5])


def test_table_comes_out_of_the_real_library(pictured):
    reader = pytest.importorskip("companion_app.cli.reading")
    pytest.importorskip("vision.read")
    request = reader.request_from(
        SimpleNamespace(game="schlangennest", set=None, shape=None, grid=None, profile=None)
    )

    from_file = reader.read_picture(str(pictured / "table.jpg"), request)
    from_camera = reader.read_picture(str(pictured / "live-0.png"), request)

    tiles = _named(from_camera.tiles)
    assert tiles == _named(from_file.tiles)
    truth = json.loads((pictured / "truth.json").read_text(encoding="utf-8"))
    assert [tile for tile, _, _ in tiles] == sorted(tile["tile"] for tile in truth["tiles"])


def _named(tiles: Any) -> list[tuple[str, tuple[int, ...], int]]:
    """Return tiles with their places counted from the layout's corner: its origin may be any."""
    x0, y0 = (min(tile["at"][axis] for tile in tiles) for axis in (0, 1))
    return sorted(
        (tile["tile"], (tile["at"][0] - x0, tile["at"][1] - y0), tile["turns"]) for tile in tiles
    )


# --- What a stand-in shows: focus, locks, a camera that goes away ---


class FakeRequest:
    def __init__(self, camera: "FakeCamera", config: dict[str, Any]) -> None:
        self.camera, self.config = camera, config

    def make_buffer(self, _name: str) -> np.ndarray:
        width, height = self.config["main"]["size"]
        stride = self.config["main"]["stride"]
        buffer = np.zeros((height, stride), np.uint8)
        buffer[:, : width * 3] = self.camera.brightness
        return buffer.reshape(-1)

    def get_metadata(self) -> dict[str, Any]:
        return self.camera.metadata()

    def release(self) -> None:
        self.camera.held -= 1


class FakeCamera:
    """A camera module 3 as picamera2 shows it: what is asked is noted, frames are grey."""

    camera_properties: dict[str, Any] = {"Model": "imx708", "ColorFilterArrangement": 0}  # noqa: RUF012
    sensor_resolution = (4608, 2592)
    sensor_modes: tuple[dict[str, Any], ...] = (
        {"size": (1536, 864), "bit_depth": 10, "fps": 120.1, "crop_limits": (768, 432, 3072, 1728)},
        {"size": (2304, 1296), "bit_depth": 10, "fps": 56.0, "crop_limits": (0, 0, 4608, 2592)},
        {"size": (4608, 2592), "bit_depth": 10, "fps": 14.35, "crop_limits": (0, 0, 4608, 2592)},
    )

    def __init__(self, *, autofocus: bool = True) -> None:
        names = ["AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains"]
        names += ["FrameDurationLimits", *(["AfMode", "LensPosition"] if autofocus else [])]
        self.camera_controls = dict.fromkeys(names, (0, 1, 0))
        self.set: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []
        self.brightness, self.held, self.seen = 90, 0, 0
        self.unplugged = self.closed = False
        self.config: dict[str, Any] = {}

    def _configuration(self, main: dict[str, Any], controls: Any, **more: Any) -> dict[str, Any]:
        size: tuple[int, int] = main.get("size", self.sensor_resolution)
        stream = {"format": "RGB888", "size": size, "stride": size[0] * 3 + 64}
        return {"main": stream, "controls": controls, "colour_space": None, **more}

    def create_video_configuration(self, main: Any, controls: Any, **more: Any) -> dict[str, Any]:
        return self._configuration(main, controls, **more)

    def create_still_configuration(self, main: Any = (), controls: Any = ()) -> dict[str, Any]:
        return self._configuration(dict(main), controls, use_case="still")

    def configure(self, config: dict[str, Any]) -> None:
        self.config = config
        self.asked.append(config)
        self.set = dict(config["controls"])

    def camera_configuration(self) -> dict[str, Any]:
        return self.config

    def start(self) -> None: ...

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.set.update(controls)

    def metadata(self) -> dict[str, Any]:
        self.seen += 1
        exposure = 5000 + 15000 // min(self.seen, 10)
        return {
            "SensorTimestamp": self.seen * 10**8,
            "ExposureTime": exposure,
            "AnalogueGain": 2.0,
            "ColourGains": (1.5, 2.1),
            "LensPosition": 1.25,
        }

    def capture_request(self, *, wait: bool) -> Any:
        assert wait is False
        self.held += 1
        return lambda: FakeRequest(self, self.config)

    def switch_mode_capture_request_and_stop(self, config: Any, *, wait: bool) -> Any:
        assert wait is False
        self.asked.append(config)
        self.held += 1
        return lambda: FakeRequest(self, config)

    def capture_metadata(self, *, wait: bool) -> Any:
        assert wait is False
        return self.metadata

    def autofocus_cycle(self, *, wait: bool) -> Any:
        assert wait is False
        return lambda: True

    def wait(self, job: Any, timeout: float) -> Any:
        if self.unplugged:
            raise TimeoutError(f"{timeout} s")
        return job()

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def fake() -> FakeCamera:
    return FakeCamera()


@pytest.fixture
def camera(fake: FakeCamera) -> Iterator[PiCamera]:
    with PiCamera(open_camera=lambda _number: fake, sleep=lambda _s: None) as camera:
        yield camera


def test_pi_camera_is_a_source(camera):
    source: FrameSource = camera

    assert source.live


def test_exposure_and_white_balance_are_locked_once_they_stand_still(camera, fake):
    camera.open()

    assert fake.set["AeEnable"] is False
    assert fake.set["ExposureTime"] == 6500
    assert fake.set["AwbEnable"] is False
    assert fake.set["ColourGains"] == (1.5, 2.1)


def test_focus_is_found_once_and_held(camera, fake):
    camera.open()

    assert (fake.set["AfMode"], fake.set["LensPosition"]) == (0, 1.25)
    assert camera.facts is not None
    assert camera.facts.focused is True


def test_camera_without_autofocus_is_left_alone():
    fixed = FakeCamera(autofocus=False)

    with PiCamera(open_camera=lambda _number: fixed) as camera:
        camera.open()

    assert "AfMode" not in fixed.set
    assert camera.facts is not None
    assert (camera.facts.has_autofocus, camera.facts.focused) == (False, None)


def test_sensor_sees_the_whole_field_quickly_enough(camera, fake):
    camera.open()

    assert fake.asked[0]["sensor"] == {"output_size": (2304, 1296), "bit_depth": 10}
    assert fake.asked[0]["main"]["size"] == (1920, 1080)


def test_still_has_every_pixel_and_the_same_light(camera, fake):
    camera.open()
    locked = fake.set["ExposureTime"]

    still = camera.still()

    assert still.bgr.shape == (2592, 4608, 3)
    assert fake.asked[1]["controls"]["ExposureTime"] == locked
    assert fake.asked[2]["controls"]["ExposureTime"] == locked, "live again, still locked"
    assert camera.newest().bgr.shape == (1080, 1920, 3)


def test_every_buffer_goes_back_to_the_camera(camera, fake):
    list(islice(camera.frames(), 20))
    camera.still()

    assert fake.held == 0


def test_camera_that_stops_is_said_and_comes_back(fake):
    opened: list[FakeCamera] = []

    def open_camera(_number: int) -> FakeCamera:
        opened.append(fake)
        return opened[-1]

    def plugged_in_again(_seconds: float) -> None:
        fake.unplugged = len(opened) < 2 and not fake.closed

    with PiCamera(open_camera=open_camera, sleep=plugged_in_again) as camera:
        frames = camera.frames()
        assert next(frames) is not None
        fake.unplugged = True
        assert next(frames) is None
        assert fake.closed
        assert next(frames) is not None

    assert len(opened) == 2


def test_missing_camera_says_what_to_do():
    def none(_number: int) -> object:
        raise IndexError("list index out of range")

    with (
        pytest.raises(PiCameraError, match="check its ribbon cable"),
        PiCamera(open_camera=none) as camera,
    ):
        next(camera.frames())


def test_camera_that_is_missing_at_the_start_is_waited_for_by_the_patient(caplog):
    fake = FakeCamera()
    tries = iter([IndexError("none"), IndexError("none"), None])

    def open_camera(_number: int) -> FakeCamera:
        if (error := next(tries)) is not None:
            raise error
        return fake

    waits = PiCameraSettings(patient=True)
    with PiCamera(waits, open_camera=open_camera, sleep=lambda _s: None) as camera:
        frames = camera.frames()
        seen = [next(frames) is not None for _ in range(3)]

    assert seen == [False, False, True]
    # A line for every try would fill the journal in a day.
    assert ["ribbon cable" in record.getMessage() for record in caplog.records] == [True]


def in_other_light(camera: PiCamera, fake: FakeCamera) -> Iterator[bool]:
    """Switch the lamp off; yield after every frame whether exposure is free."""
    camera.open()
    fake.brightness, fake.seen = 20, 100
    for _ in camera.frames():
        yield fake.set["AeEnable"]


def test_lamp_that_goes_off_lets_exposure_settle_anew_while_frames_come(camera, fake):
    free = list(islice(in_other_light(camera, fake), 60))

    assert True in free
    assert fake.set["AeEnable"] is False
    assert fake.set["ExposureTime"] == 6500
    assert fake.seen == 160, "no frame was waited for"


def test_still_in_other_light_is_not_exposed_for_the_old_light(camera, fake):
    assert any(islice(in_other_light(camera, fake), 60))

    camera.still()

    for asked in fake.asked[1:]:
        assert asked["controls"]["AeEnable"] is True
        assert "ExposureTime" not in asked["controls"]


def test_camera_that_was_closed_is_not_opened_again():
    opened: list[FakeCamera] = []

    def open_camera(_number: int) -> FakeCamera:
        opened.append(FakeCamera())
        return opened[-1]

    camera = PiCamera(open_camera=open_camera)
    camera.close()

    with pytest.raises(PiCameraError, match="was closed"):
        camera.newest()
    assert list(camera.frames()) == []
    assert opened == []


def test_arm_over_the_table_is_no_change_of_light():
    watch = LightWatch()
    watch.locked(np.full((64, 64, 3), 100, np.uint8))
    arm = np.full((64, 64, 3), 100, np.uint8)
    arm[:, :24] = 40

    assert not any(watch.has_changed(arm, second) for second in range(60))


def test_short_shadow_is_no_change_of_light():
    watch = LightWatch()
    watch.locked(np.full((64, 64, 3), 100, np.uint8))
    dark = np.full((64, 64, 3), 20, np.uint8)

    assert not watch.has_changed(dark, 0.0)
    assert not watch.has_changed(dark, 3.0)
    assert watch.has_changed(dark, 4.5)


# --- On a Raspberry Pi: what no virtual camera can show ---


@pytest.fixture(scope="module")
def pi_camera() -> Iterator[PiCamera]:
    with PiCamera() as camera:
        camera.open()
        yield camera


@pytest.mark.pi
def test_on_a_pi_exposure_stays_locked(pi_camera):
    facts = pi_camera.facts

    metadata = [pi_camera._metadata() for _ in range(30)][-1]

    assert facts.exposure_us is not None
    assert metadata["ExposureTime"] == pytest.approx(facts.exposure_us, rel=0.01)
    assert metadata["ColourGains"] == pytest.approx(facts.colour_gains, rel=0.01)


@pytest.mark.pi
def test_on_a_pi_module_3_finds_its_focus(pi_camera):
    if not pi_camera.facts.has_autofocus:
        pytest.skip("this camera's lens is turned by hand")

    assert pi_camera.facts.focused
    assert 0.5 <= pi_camera.facts.lens_position <= 10


@pytest.mark.pi
def test_on_a_pi_frames_come_quickly_and_in_order(pi_camera):
    times_s = [frame.taken_at_s for frame in islice(pi_camera.frames(), 60)]

    assert times_s == sorted(set(times_s))
    assert (len(times_s) - 1) / (times_s[-1] - times_s[0]) >= 10


@pytest.mark.pi
def test_on_a_pi_still_has_every_pixel_and_live_goes_on(pi_camera):
    still = pi_camera.still()

    assert still.bgr.shape[1::-1] == pi_camera.facts.still_px
    assert pi_camera.newest().bgr.shape[1::-1] == pi_camera.facts.size_px


def test_settings_are_those_of_the_service_by_default():
    assert PiCameraSettings().frames_a_second >= 10
