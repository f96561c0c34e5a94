"""Headless Chromium: what a page is after it has been loaded, and as PDF."""

import html
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [f"--disable-{what}" for what in ("gpu", "quic", "background-networking", "component-update", "sync")] + ["--no-first-run"]


def run(folder: Path, *options: str) -> str:
    """What Chromium writes; a test is skipped where there is none, unless everything is required."""
    if PROGRAM is None:
        if os.environ.get("REQUIRE_ALL"):
            pytest.fail("no chromium on the path")
        pytest.skip("no chromium on the path")
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
    found = loaded(folder, outer)
    return found.partition("<body>")[2].partition("</body>")[0].strip().split("|")


def printed(folder: Path, page: str) -> bytes:
    """The page as PDF."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    run(folder, "--no-pdf-header-footer", f"--print-to-pdf={folder / 'page.pdf'}", (folder / "page.html").as_uri())
    return (folder / "page.pdf").read_bytes()
