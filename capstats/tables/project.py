"""What a page that the library writes says of itself and of the project."""

from __future__ import annotations

from importlib.metadata import metadata
from typing import TYPE_CHECKING

from capstats.tables.dataset import VERSION

if TYPE_CHECKING:
    from markupsafe import Markup


def homepage() -> str:
    """The address of the project, which the metadata of the package alone may name; empty if they do not."""
    urls = dict(url.split(", ", 1) for url in metadata("capstats").get_all("Project-URL") or ())
    return str({name.lower(): address for name, address in urls.items()}.get("homepage", ""))


def project(address: str | None = None) -> Markup:
    """The project's name, as a link if it has an address: that of its homepage, or of the first page of a site in which the page lies."""
    from markupsafe import Markup

    name, address = f"capstats {VERSION}", homepage() if address is None else address
    return Markup('<a href="{}">{}</a>').format(address, name) if address else Markup(name)


def described(title: str, text: str, picture: str = "") -> Markup:
    """The description of a page, also for who is sent a link to it, with the address of a picture if there is one."""
    from markupsafe import Markup

    said = {"og:type": "website", "og:site_name": "capstats", "og:title": title, "og:description": text}
    said |= {"og:image": picture} if picture else {}
    lines = [Markup('<meta name="description" content="{}">').format(text)]
    lines += [Markup('<meta property="{}" content="{}">').format(*one) for one in said.items()]
    return Markup("\n").join(lines)
