"""The links of the built site: ``python docs/links.py SITE`` lists the external ones and fails if an internal one leads nowhere."""

from __future__ import annotations

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data"), ("link", "href")}
NAVIGATION = {"canonical", "next", "prev", "search", "index", "author"}  # relations of <link> that load nothing


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        for element, name in LOADED:
            if tag == element and name in given and not NAVIGATION & set(given.get("rel", "").split()):
                self.loaded.add(given[name])
        self.loaded |= set(re.findall(r"url\((.*?)\)", given.get("style", "")))


@cache
def page(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


def pages(site: Path) -> list[Path]:
    """All pages of the site, without those of the theme's own files."""
    return sorted(file for file in site.rglob("*.html") if "_static" not in file.parts)


def is_external(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc) and not link.startswith("data:")


def external(site: Path) -> list[tuple[str, str]]:
    """Page and address of each link that leads out of the site."""
    return [(file.relative_to(site).as_posix(), link) for file in pages(site) for link in sorted(page(file).links) if is_external(link)]


def remote(site: Path) -> list[tuple[str, str]]:
    """Page and address of whatever a page or a style sheet would load from elsewhere; there must be none."""
    found = [(file.relative_to(site).as_posix(), address) for file in pages(site) for address in page(file).loaded if is_external(address)]
    for sheet in site.rglob("*.css"):
        used = re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]+)", sheet.read_text(encoding="utf-8"))
        found += [(sheet.relative_to(site).as_posix(), address) for address in used]
    return found


def broken(site: Path) -> list[tuple[str, str]]:
    """Page and target of each link, and of whatever is loaded, that is not there: no such file, or no such anchor in it."""
    found = []
    for file in pages(site):
        for link in sorted(page(file).links | page(file).loaded):
            if is_external(link) or link.startswith("data:"):
                continue
            path, anchor = unquote(urlsplit(link).path), unquote(urlsplit(link).fragment)
            target = (file.parent / path).resolve() if path else file
            there = target.is_file() and (not anchor or target.suffix != ".html" or anchor in page(target).anchors)
            if not there and link not in {"#", ""}:
                found.append((file.relative_to(site).as_posix(), link))
    return found


if __name__ == "__main__":
    site = Path(sys.argv[1])
    print(f"{len(pages(site))} pages, with these links to other places:")
    addresses: dict[str, list[str]] = {}
    for name, address in external(site):
        addresses.setdefault(address, []).append(name)
    for address, names in sorted(addresses.items()):
        print(f"  {address}  ({len(names)}: {', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
    wrong = [f"  {name}: {link}" for name, link in broken(site) + remote(site)]
    print("\n".join(["Links that lead nowhere, or load from elsewhere:", *wrong]) if wrong else "All internal links and anchors are there.")
    sys.exit(bool(wrong))
