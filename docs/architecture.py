"""Draws ``architecture.svg`` from the imports of the package: its rooms, their files, and which room imports from which.

``python docs/architecture.py`` writes it anew; a test fails where it is out of date.
"""

from __future__ import annotations

import ast
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "capstats"
PICTURE = Path(__file__).with_suffix(".svg")
TOP = "top"  # the files beside the rooms
CORE = (
    "codes",
    "sources",
    "tables",
    "counting",
    "cap",
    "disclosure",
    "screening",
    "plotting",
    "datasets",
    "reports",
    "describing",
    "auditing",
    "cli",
)  # others: wings
LINE, WIDTH, NAME, GAP, LANE = 17, 720, 110, 12, 18  # in pixels: a line of text, a box, the name of a room, between boxes, between lanes
CHARACTERS = 76  # of file names in a line


def files() -> dict[str, list[Path]]:
    """The files of each room."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts
        if parts != ("__init__.py",):
            found.setdefault(parts[0] if len(parts) > 1 else TOP, []).append(path)
    return found


def imports(paths: list[Path], rooms: list[str]) -> set[str]:
    """The rooms that these files import from, within functions too."""
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {
                parts[1] for parts in (name.split(".") for name in names) if parts[0] == "capstats" and parts[1:2] and parts[1] in rooms
            }
    return found


def ordered(uses: dict[str, set[str]]) -> list[str]:
    """The rooms, each after those that it imports from; of several, the one that most others use comes first."""
    order: list[str] = []
    while len(order) < len(uses):
        free = [room for room in uses if room not in order and uses[room] <= {*order, room}]
        if not free:
            raise ValueError(f"Rooms import from each other: {sorted(set(uses) - set(order))}.")
        order.append(min(free, key=lambda room: (room == TOP, room not in CORE, -sum(room in others for others in uses.values()), room)))
    return order


def lines_of(names: list[str]) -> list[str]:
    """The names, as many in a line as fit."""
    lines = [""]
    for name in names:
        longer = f"{lines[-1]}  {name}" if lines[-1] else name
        lines = [*lines[:-1], longer] if len(longer) <= CHARACTERS else [*lines, name]
    return lines


def picture() -> str:
    """A box a room, the first on top; from each a lane goes down, with a dot in the row of each room that imports from it."""
    rooms = files()
    uses = {room: imports(paths, [name for name in rooms if name != TOP]) - {room} for room, paths in rooms.items()}
    uses |= {room: uses[room] & set(CORE) for room in CORE}  # one file of the core finds wings: tests/test_structure.py
    order = ordered(uses)
    lanes = [room for room in reversed(order) if any(room in others for others in uses.values())]  # no lane crosses an arrow
    lane = {room: WIDTH + GAP + LANE * (i + 2) for i, room in enumerate(lanes)}
    boxes, row, y = [], {}, GAP
    for room in order:
        lines = lines_of([path.stem for path in rooms[room] if path.stem != "__init__"])
        height = LINE * len(lines) + 10
        row[room] = y + height / 2
        boxes.append(f'<rect x="{GAP}" y="{y}" width="{WIDTH}" height="{height}" rx="4"/>')
        boxes.append(f'<text class="room" x="{GAP + 10}" y="{y + LINE}">{escape(room)}</text>')
        boxes += [f'<text x="{GAP + NAME}" y="{y + LINE * (i + 1)}">{escape(line)}</text>' for i, line in enumerate(lines)]
        y += height + GAP
    drawn = []
    for room in order:
        if uses[room]:
            farthest = max(lane[other] for other in uses[room])
            drawn.append(f'<path class="row" d="M{WIDTH + GAP} {row[room]} H{farthest}"/>')
    for room in lanes:
        users = [user for user in order if room in uses[user]]
        arrow = f"M{lane[room]} {row[users[-1]]} V{row[room]} H{WIDTH + GAP + 2}"
        drawn.append(f'<path class="lane" d="{arrow}" marker-end="url(#head)"/>')
        for user in users:
            title = f"<title>{escape(user)} imports from {escape(room)}</title>"
            drawn.append(f'<circle cx="{lane[room]}" cy="{row[user]}" r="4">{title}</circle>')
    wide = WIDTH + GAP + LANE * (len(lanes) + 3)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {y}" font-family="monospace" font-size="13">',
            "<style>rect{fill:#f4f6f8;stroke:#53677a}.room{font-weight:bold}path{fill:none}.row{stroke:#c3ccd5}.lane{stroke:#2a6f97}"
            "circle{fill:#2a6f97}</style>",
            '<defs><marker id="head" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="8" markerHeight="8" orient="auto">'
            '<polygon points="0,0 6,3 0,6" fill="#2a6f97"/></marker></defs>',
            f'<rect x="0" y="0" width="{wide}" height="{y}" style="fill:white;stroke:none"/>',
            *boxes,
            *drawn,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
