"""``python -m tests.bench.first_draw URL [URL ...]``: how soon a phone sees the table.

Pages are opened in turn, each time by a phone that was never there; with the address of an older
version beside the new one, the ratio says whether the table is drawn as fast as it was.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from tests.browser.chromium import Browser

ROUNDS = 15
BOARD = "(document.querySelector('.board svg')?.childElementCount ?? 0) > 3"
LOOK = """
(() => {
  const look = () => {
    if (%s) window.drawnAfterMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""


def drawn_ms(browser: Browser, url: str, drawn: str = BOARD) -> float:
    """Return how long after it was asked for a page is drawn, by default with its table."""
    page = browser.page()
    try:
        page.ask("Page.addScriptToEvaluateOnNewDocument", source=LOOK % drawn)
        page.go(url)
        page.wait("window.drawnAfterMs")
        return float(page.js("window.drawnAfterMs"))
    finally:
        page.close()


def main(urls: list[str]) -> int:
    """Print the median of each page, and its ratio to the first one's."""
    took: dict[str, list[float]] = {url: [] for url in urls}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder))
        try:
            for number in range(ROUNDS + 1):
                for url in urls if number % 2 else urls[::-1]:
                    ms = drawn_ms(browser, url)
                    took[url] += [ms] if number else []  # the first visit wakes the page
        finally:
            browser.close()
    first = median(took[urls[0]])
    for url in urls:
        mine = median(took[url])
        sys.stdout.write(
            f"{url}: table drawn after {mine:.0f} ms, {mine / first:.2f} x ({ROUNDS} visits)\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
