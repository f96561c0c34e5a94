"""Headless Chromium: what a page is after it has been loaded, as PDF, and while it is used."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]  # the first takes half of the time of the others
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
QUIET = [f"--disable-{what}" for what in ("gpu", "quic", "background-networking", "component-update", "sync")] + ["--no-first-run"]
DRAWN = "() => new Promise(requestAnimationFrame)"  # what was to be drawn before the next frame has been drawn


def run(folder: Path, *options: str) -> str:
    """What Chromium writes; a test is skipped where there is none, unless everything is required."""
    if PROGRAM is None:
        missing("no chromium on the path")
    profile = folder / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    command = [PROGRAM, "--headless", "--no-sandbox", *QUIET, f"--user-data-dir={profile}", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def loaded(folder: Path, page: str) -> str:
    """The elements of the page after two seconds, as HTML."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    return run(folder, "--virtual-time-budget=2000", "--dump-dom", file.as_uri())


def in_frames(folder: Path, pages: list[str], width: int, script: str) -> list[str]:
    """What a script, an expression of the document `d`, says of each page in a frame of so many pixels."""
    frames = "".join(f'<iframe style="width:{width}px;height:800px;border:0" srcdoc="{html.escape(page)}"></iframe>' for page in pages)
    ask = f"[...document.querySelectorAll('iframe')].map(f => {{const d = f.contentDocument; return {script}}}).join('|')"
    outer = f"<!DOCTYPE html><title>frames</title>{frames}<script>onload = () => {{document.body.innerHTML = {ask}}}</script>"
    return loaded(folder, outer).partition("<body>")[2].partition("</body>")[0].strip().split("|")


def printed(folder: Path, page: str) -> bytes:
    """The page as PDF."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    run(folder, "--no-pdf-header-footer", f"--print-to-pdf={folder / 'page.pdf'}", (folder / "page.html").as_uri())
    return (folder / "page.pdf").read_bytes()


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A web server on this machine, which answers everybody, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


# --- pages that are used: playwright


RUNNING: list[Browser] = []  # of this process, which may have one at a time


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium for `opened`, or that which runs already; a test is skipped where it or playwright is missing, unless all is required."""
    if RUNNING:
        yield RUNNING[0]
        return
    if PROGRAM is None:
        missing("no chromium on the path")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox", *QUIET])
        RUNNING.append(found)
        try:
            yield found
        finally:
            RUNNING.clear()
            found.close()


@contextmanager
def opened(browser: Browser, folder: Path, page: str, *, width: int = 1280, height: int = 900, **options: Any) -> Iterator[Page]:
    """The page as after a double click on its file, without network; what it asks for and complains about is an error.

    Other options are those of a context of playwright: ``has_touch=True``, ``color_scheme="dark"``. Motion is reduced unless they say
    ``reduced_motion="no-preference"``, since a page that moves takes all of a core.
    """
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **{"reduced_motion": "reduce", **options})
    try:
        found = context.new_page()
        found.set_default_timeout(30_000)
        found.add_init_script("history.scrollRestoration = 'manual'")  # a page that is loaded again begins at its top
        wrong: list[str] = []
        found.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        found.on("pageerror", lambda error: wrong.append(str(error)))
        found.on("request", lambda request: wrong.append(request.url) if request.url != file.as_uri() and not own(request.url) else None)
        found.goto(file.as_uri())
        found.evaluate(DRAWN)
        yield found
        assert wrong == []
    finally:
        context.close()


def own(address: str) -> bool:
    """Whether an address is that of a text which the page itself has made, such as the script of a worker."""
    return address.startswith("blob:null/")


def missing(what: str) -> NoReturn:
    if os.environ.get("REQUIRE_ALL"):
        pytest.fail(what)
    pytest.skip(what)
