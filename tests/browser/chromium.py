"""A real headless Chromium, driven through its DevTools: enough of it for the page's tests."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from PIL import Image

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The same engine without windows first: it costs half the processor."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
    "--hide-scrollbars",
    "--lang=en",
    "--renderer-process-limit=1",
    # A camera for the phone, and an address in the home network: neither https nor loopback.
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--host-resolver-rules=MAP snake-eye.local 127.0.0.1",
)
CAMERA_PX = 320, 180
PATIENCE_S = 60.0
"""The machine is shared; what takes longer than that is broken."""
LONGEST_PAUSE_S = 0.15
"""Between two looks at what takes its time: every look costs the page's processor too."""


def program() -> str | None:
    """Return where Chromium is, or ``None``."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """One Chromium process."""

    def __init__(self, folder: Path, watched: bool = False) -> None:
        self._watched = watched
        self.newest: Page | None = None
        """The page that was opened last."""
        name = program()
        assert name is not None
        film = folder / "camera.y4m"
        film.parent.mkdir(exist_ok=True)
        film.write_bytes(bare_table())
        self.process = subprocess.Popen(
            [
                name,
                *FLAGS,
                f"--use-file-for-fake-video-capture={film}",
                f"--user-data-dir={folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # What is found may be a script that begins Chromium, and Chromium begins others: all
            # of them are one group, which ends together.
            start_new_session=True,
        )
        try:
            self._connect(folder)
        except BaseException:
            self._end(signal.SIGKILL)
            self.process.wait(10)
            raise

    def _connect(self, folder: Path) -> None:
        port_file = folder / "DevToolsActivePort"
        wait_until(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1)
        self.port, self.path = port_file.read_text().splitlines()[:2]
        self._line = _line(f"ws://127.0.0.1:{self.port}{self.path}")
        self._id = 0

    def page(
        self, width: int = 390, height: int = 844, dark: bool = False, scale: float = 1
    ) -> Page:
        """Open a page of its own: no cookies shared with the others."""
        context = self._ask("Target.createBrowserContext")["browserContextId"]
        target = self._ask("Target.createTarget", url="about:blank", browserContextId=context)
        line = _line(f"ws://127.0.0.1:{self.port}/devtools/page/{target['targetId']}")
        page = Page(line, width, height, dark, scale)
        page.at_close = lambda: self._ask("Target.disposeBrowserContext", browserContextId=context)
        if self._watched:
            page.ask("Profiler.enable")
            page.ask("Profiler.startPreciseCoverage", callCount=False, detailed=False)
        self.newest = page
        return page

    def close(self) -> None:
        """End all processes that were begun."""
        self._line.close()
        self._end(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self._end(signal.SIGKILL)
        self.process.wait(10)

    def _end(self, how: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)

    def _ask(self, method: str, **params: Any) -> Any:
        self._id += 1
        self._line.send(json.dumps({"id": self._id, "method": method, "params": params}))
        while True:
            said = json.loads(self._line.recv())
            if said.get("id") == self._id:
                return said.get("result")


def _line(url: str) -> Any:
    """Return a line to Chromium; without the library only the tests of the browser are left out."""
    import websocket

    return websocket.create_connection(url, timeout=PATIENCE_S)


class Page:
    """One tab; notes every console error."""

    def __init__(self, line: Any, width: int, height: int, dark: bool, scale: float) -> None:
        self._line = line
        self._id = 0
        self.at_close: Callable[[], object] = lambda: None
        self.errors: list[str] = []
        self.requests: list[str] = []
        """What was asked for since ``note_requests``."""
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.sized(width, height, scale)
        if min(width, height) < 600:
            self.ask("Emulation.setTouchEmulationEnabled", enabled=True)
        self.coloured(dark)

    def sized(self, width: int, height: int, scale: float = 1) -> None:
        """Give the page a screen of another size."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=min(width, height) < 600,
        )

    def coloured(self, dark: bool) -> None:
        """Be the screen of somebody who likes it dark, or light."""
        value = "dark" if dark else "light"
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": value}],
        )

    def letters(self, percent: int) -> None:
        """Write larger or smaller, as people set it in their browser, from the next page on."""
        self.ask("Page.setFontSizes", fontSizes={"standard": round(16 * percent / 100)})

    def note_requests(self) -> None:
        """Note from now on what is asked for, all of it anew: each tells of itself many times."""
        self.ask("Network.enable")
        self.ask("Network.setCacheDisabled", cacheDisabled=True)

    def without_worker(self) -> None:
        """Be a browser without service workers, from the next page on."""
        self.ask(
            "Page.addScriptToEvaluateOnNewDocument",
            source="delete Navigator.prototype.serviceWorker",
        )

    def ask(self, method: str, **params: Any) -> Any:
        """Send a command and return its answer; events that come meanwhile are noted."""
        self._id += 1
        self._line.send(json.dumps({"id": self._id, "method": method, "params": params}))
        while True:
            said = json.loads(self._line.recv())
            if said.get("id") == self._id:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                return said["result"]
            self._note(said)

    def _note(self, said: dict[str, Any]) -> None:
        method, params = said.get("method"), said.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(str(details.get("exception", {}).get("description", details)))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a)) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def close(self) -> None:
        """Close the tab."""
        self.ask("Page.close")
        self._line.close()
        self.at_close()

    def go(self, url: str) -> None:
        """Open an address and wait until our page stands."""
        self.ask("Page.navigate", url=url)
        self.wait(
            "document.readyState === 'complete' && !document.querySelector('main > .loading')"
        )

    def js(self, expression: str) -> Any:
        """Return the value of an expression; promises are waited for."""
        answer = self.ask(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression: str, patience_s: float = PATIENCE_S) -> Any:
        """Wait until an expression is true, and return it."""
        return wait_until(
            lambda: self._js_or_none(f"(async () => !!(await ({expression})))()"),
            patience_s,
            expression,
        )

    def _js_or_none(self, expression: str) -> Any:
        try:
            return self.js(expression)
        except RuntimeError:
            return None

    def text(self, selector: str) -> str:
        """Return the text of an element, once it is there."""
        where = json.dumps(selector)
        self.wait(f"!!document.querySelector({where})")
        return str(self.js(f"document.querySelector({where}).innerText"))

    def click(self, selector: str, words: str = "") -> None:
        """Press the first visible element of a selector that shows some words."""
        found = (
            f"[...document.querySelectorAll({json.dumps(selector)})].find((e) => "
            f"e.getClientRects().length && e.textContent.includes({json.dumps(words)})"
            " && !e.disabled)"
        )
        self.wait(f"!!{found}")
        self.js(
            f"{found}.dispatchEvent(new MouseEvent('click', {{bubbles: true, cancelable: true}}))"
        )

    def fill(self, selector: str, words: str) -> None:
        """Write into a field."""
        where = json.dumps(selector)
        self.wait(f"!!document.querySelector({where})")
        self.js(
            f"(() => {{ const e = document.querySelector({where}); e.value = {json.dumps(words)};"
            "e.dispatchEvent(new Event('input', {bubbles: true})); "
            "e.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def scripts_that_ran(self) -> set[str]:
        """Return the addresses of scripts of which more ran than their loading."""
        return {
            script["url"]
            for script in self.ask("Profiler.takePreciseCoverage")["result"]
            for function in script["functions"]
            if function["functionName"] and function["ranges"][0]["count"]
        }

    def watch_shifts(self) -> None:
        """Note from now on whatever moves on the page by itself."""
        self.js(
            "window.shifts = []; new PerformanceObserver((list) => shifts.push("
            "...list.getEntries().map((e) => [e.value, ...e.sources.map((s) => "
            "String(s.node?.className || s.node?.parentNode?.className))])))"
            ".observe({type: 'layout-shift', buffered: true}); 1"
        )

    def shifted(self) -> float:
        """Return how much has moved since it is watched, as browsers measure it, all added up."""
        return float(self.js("shifts.reduce((sum, [value]) => sum + value, 0)"))

    def shot(self, path: Path) -> None:
        """Take a picture of what is seen."""
        path.write_bytes(self._png())

    def picture(self, clip: dict[str, float] | None = None) -> Image.Image:
        """Return a picture of what is seen, or of a part of it."""
        return Image.open(io.BytesIO(self._png(**({"clip": clip} if clip else {})))).convert("RGB")

    def _png(self, **how: Any) -> bytes:
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", **how)["data"])


def bare_table() -> bytes:
    """Return what the phone's camera films: a bare table, of which little is to be read."""
    width, height = CAMERA_PX
    frame = bytes([140]) * (width * height) + bytes([128]) * (width * height // 2)
    return f"YUV4MPEG2 W{width} H{height} F10:1 Ip C420jpeg\nFRAME\n".encode() + frame


def wait_until(true: Callable[[], Any], patience_s: float = PATIENCE_S, what: str = "") -> Any:
    """Wait for something to become true; a bounded number of looks, first more often."""
    waited_s, pause_s = 0.0, 0.02
    while waited_s < patience_s:
        if found := true():
            return found
        time.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(1.2 * pause_s, LONGEST_PAUSE_S)
    raise AssertionError(f"waited {patience_s:g} s in vain for {what or true}")
