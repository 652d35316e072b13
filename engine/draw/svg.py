"""Writes display lists as SVG text, deterministically."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from engine.draw.display import IDENTITY, Affine, Contour, Group, Item, Path, Text

FONT = "system-ui, 'DejaVu Sans', Verdana, sans-serif"


def svg(items: Iterable[Item], box: tuple[float, float, float, float], title: str = "") -> str:
    """Return a whole SVG document.

    Args:
        items: what to show.
        box: left, top, width and height of the part shown, in millimetres.
        title: the description of the picture, for screen readers.
    """
    writer = _Writer()
    body = "".join(writer.item(item) for item in items)
    # Pages may hold several drawings in one document, so ids differ between drawings.
    prefix = f"s{zlib.crc32((body + ''.join(writer.shared)).encode()):08x}-"
    defs = "".join(writer.shared).replace("@@", prefix)
    left, top, width, height = box
    label = (
        f"<title>{escape(''.join(c for c in title if c.isprintable()))}</title>" if title else ""
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="{_n(left)} {_n(top)} {_n(width)} {_n(height)}" '
        f'width="{_n(width)}mm" height="{_n(height)}mm" role="img" '
        f'stroke-linecap="round" stroke-linejoin="round" fill-rule="evenodd">{label}'
        f"<defs>{defs}</defs>{body.replace('@@', prefix)}</svg>\n"
    )


class _Writer:
    """Writes items, and collects shared groups and clips, which are defined once."""

    def __init__(self) -> None:
        self.shared: list[str] = []
        self._ids: dict[str, str] = {}

    def item(self, item: Item) -> str:
        if isinstance(item, Path):
            return _path(item)
        if isinstance(item, Text):
            return _text(item)
        if item.key:
            return f'<use href="#{self._share(item)}"{_transform(item.transform)}/>'
        inner = "".join(self.item(child) for child in item.items)
        if not inner:
            return ""
        clip = f' clip-path="url(#{self._clip(item.clip)})"' if item.clip else ""
        where = _transform(item.transform)
        return f"<g{where}{clip}>{inner}</g>" if clip or where else inner

    def _share(self, group: Group) -> str:
        key = f"group {group.key}"
        if key not in self._ids:
            inner = self.item(Group(group.items, clip=group.clip))
            name = self._new(key)
            self.shared.append(f'<g id="{name}">{inner}</g>')
        return self._ids[key]

    def _clip(self, contours: tuple[Contour, ...]) -> str:
        shape = _d(contours)
        key = f"clip {shape}"
        if key not in self._ids:
            name = self._new(key)
            self.shared.append(
                f'<clipPath id="{name}"><path clip-rule="evenodd" d="{shape}"/></clipPath>'
            )
        return self._ids[key]

    def _new(self, key: str) -> str:
        # "@@" is replaced by the drawing's own prefix when the whole drawing is written.
        self._ids[key] = f"@@{len(self._ids)}"
        return self._ids[key]


def _path(path: Path) -> str:
    if not path.contours:
        return ""
    fill = path.fill or "none"
    stroke = f' stroke="{path.stroke}" stroke-width="{_n(path.width)}"' if path.stroke else ""
    return f'<path d="{_d(path.contours)}" fill="{fill}"{stroke}/>'


def _text(text: Text) -> str:
    # Drop characters that XML forbids, and break up "@@", the placeholder of the prefix.
    words = escape("".join(c for c in text.words if c.isprintable()).replace("@@", "@ @"))
    return (
        f'<text x="{_n(text.at[0])}" y="{_n(text.at[1])}" font-size="{_n(text.size)}" '
        f"font-family={quoteattr(FONT)} "
        f'font-weight="600" text-anchor="{text.anchor}" fill="{text.colour}">{words}</text>'
    )


def _d(contours: Iterable[Contour]) -> str:
    parts = []
    for contour in contours:
        parts.append(f"M{_n(contour.start[0])} {_n(contour.start[1])}")
        for segment in contour.segments:
            letter = "L" if len(segment) == 2 else "C"
            parts.append(letter + " ".join(_n(number) for number in segment))
        if contour.closed:
            parts.append("Z")
    return "".join(parts)


def _transform(transform: Affine) -> str:
    if transform == IDENTITY:
        return ""
    a, b, c, d, e, f = transform
    if (a, b, c, d) == (1, 0, 0, 1):
        return f' transform="translate({_n(e)} {_n(f)})"'
    numbers = " ".join(_n(v, 5) for v in transform)
    return f' transform="matrix({numbers})"'


def _n(number: float, digits: int = 2) -> str:
    text = f"{number:.{digits}f}".rstrip("0").rstrip(".") if number % 1 else f"{number:.0f}"
    return "0" if text in ("-0", "") else text
