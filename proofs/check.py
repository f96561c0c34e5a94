"""Compile the proofs, list what is closed, and see that false variants fail.

``python proofs/check.py`` needs ``coqc`` and ``coqtop`` of Coq 8.16 with MathComp 1.15, and only the standard library of Python. It works
in a folder of its own, and fails unless

1. all files of ``_CoqProject`` compile, without a word that leaves a gap, and assume nothing outside of sections;
2. ``Print Assumptions`` says "Closed under the global context" for all theorems and lemmas together, and with ``--all`` for each;
3. with ``--all``: every theorem has a false variant in ``false.toml``, whose statement is well formed, and for which the same proof fails,
   where the true statement with this proof is accepted.

Where there is no Coq it prints NOT RUN, which is a failure with ``--all``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = ["-w", "-notation-overridden,-ambiguous-paths,-abstract-large-number"]
CLOSED = "Closed under the global context"
GAPS = re.compile(
    "|".join(("Adm" + "itted", "adm" + "it", "Adm" + r"it\b", "Ax" + "iom", "Para" + "meter", "Conj" + "ecture", "bypass_" + "check"))
)
UNUSUAL = re.compile(r"\b(?:Corollary|Proposition|Fact|Remark|Property|Declare|Primitive)\b|#\[|\bUnset\s+(?!Strict Implicit|Printing)\w+")
STATED = re.compile(r"\b(Theorem|Example|Lemma)\s+(\w+)")  # all that has a proof
THEOREM = re.compile(r"^(?:Theorem|Example) (\w+)(.*?)^Proof\.(.*?)\bQed\.\n", re.MULTILINE | re.DOTALL)
EXAMPLES = "examples"  # the file that examples.py writes
PATIENCE = 900  # seconds for one file


def files() -> list[str]:
    """The names of the files, in the order in which they compile."""
    return [line.removesuffix(".v") for line in (HERE / "_CoqProject").read_text(encoding="utf-8").splitlines() if line.endswith(".v")]


def text_of(name: str) -> str:
    return (HERE / f"{name}.v").read_text(encoding="utf-8")


def theorems(name: str) -> list[str]:
    """The theorems of a file, or its examples, without its lemmas."""
    return [found[1] for found in THEOREM.finditer(text_of(name))]


def without_comments(text: str) -> str:
    while (shorter := re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", "", text, flags=re.DOTALL)) != text:
        text = shorter
    return text


def stated(name: str) -> list[str]:
    """The theorems, examples and lemmas of a file."""
    return [found[2] for found in STATED.finditer(without_comments(text_of(name)))]


def gaps(name: str) -> list[str]:
    """What a file must not have: words that leave a gap, what the checks would not see, and assumptions outside of sections."""
    code = without_comments(text_of(name))
    wrong = [found[0] for found in (GAPS.search(text_of(name)), UNUSUAL.search(code)) if found]
    if [found[2] for found in STATED.finditer(code) if found[1] != "Lemma"] != theorems(name):
        wrong.append("a theorem that is not of the form 'Theorem NAME ... Proof. ... Qed.', at the beginning of lines")
    depth = 0
    for command, assumed in re.findall(r"^\s*(?:(Section|End)|(Variables?|Hypothes[ie]s|Context))\b", code, flags=re.MULTILINE):
        depth += {"Section": 1, "End": -1}.get(command, 0)
        if assumed and not depth:
            wrong.append(f"{assumed} outside of a section")
    return [f"{name}.v: {what}" for what in wrong]


def false_variants() -> dict[str, dict[str, dict[str, str]]]:
    """Those of false.toml; of an example it is the next greater numerator."""
    variants = tomllib.loads((HERE / "false.toml").read_text(encoding="utf-8"))
    variants[EXAMPLES] = {}
    for found in THEOREM.finditer(text_of(EXAMPLES)):
        old, numerator = re.search(r"= (\d+)%:R /", found[2]).group(0, 1)
        variants[EXAMPLES][found[1]] = {"says": "another numerator", "old": old, "new": f"= {int(numerator) + 1}%:R /"}
    return variants


def false_statement(statement: str, variant: dict[str, str]) -> str:
    """The statement with one text replaced, which must be there once."""
    if statement.count(variant["old"]) != 1:
        raise ValueError(f"{variant['old']!r} is not once in the statement {statement}")
    return statement.replace(variant["old"], variant["new"])


def with_false_variants(name: str) -> str:
    """A file for coqtop, in which a false variant with the same proof stands before each theorem."""
    variants = false_variants()[name]

    def both(found: re.Match[str]) -> str:
        theorem, statement, proof = found.groups()
        false = false_statement(statement, variants[theorem])
        trial = f'Theorem {theorem}__false{false}Proof.\nidtac "@stated {theorem}".{proof}Qed.\nAbort.\nFail Check {theorem}__false.\n'
        return f'{trial}{found[0]}Check {theorem}.\nGoal True. idtac "@held {theorem}". Abort.\n'

    return THEOREM.sub(both, text_of(name))


def run(command: list[str], room: Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=room, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False)


def compile_one(name: str, room: Path, required: list[Future[str]]) -> str:
    """What is wrong with a file, once those that it requires are compiled."""
    if any(file.result() for file in required):
        return f"{name}.v is not compiled: it requires one that does not compile"
    if wrong := gaps(name):
        return "\n".join(wrong)
    shutil.copy(HERE / f"{name}.v", room)
    start = time.monotonic()
    done = run(["coqc", *FLAGS, "-R", ".", "capstats", f"{name}.v"], room)
    if done.returncode:
        return f"{name}.v does not compile:\n{done.stdout}{done.stderr}"
    print(f"compiled {name}.v in {time.monotonic() - start:.1f} s", flush=True)
    return ""


def compile_all(room: Path) -> list[str]:
    """What is wrong with the files themselves."""
    jobs: dict[str, Future[str]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in files():
            required = re.findall(r"^From capstats Require Import (.*)\.$", text_of(name), flags=re.MULTILINE)
            jobs[name] = pool.submit(compile_one, name, room, [jobs[file] for file in " ".join(required).split()])
    return [job.result() for job in jobs.values() if job.result()]


def check_assumptions(room: Path, one_by_one: bool) -> list[str]:
    """The theorems and lemmas that rest on something that is not proved: all as parts of one term, which is faster, or one by one."""
    names = [f"{name}.{theorem}" for name in files() for theorem in stated(name)]
    groups = {name: [name] for name in names} if one_by_one else {"one of all": names}
    lines = [f"From capstats Require {name}." for name in files()]
    for number, (group, parts) in enumerate(groups.items()):
        lines += [f'Goal True. idtac "@ {group}". Abort.', f"Definition group_{number} :="]
        lines += [*(f"let _ := @{name} in" for name in parts), "I.", f"Print Assumptions group_{number}."]
    (room / "assumptions.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run(["coqc", *FLAGS, "-R", ".", "capstats", "assumptions.v"], room)
    answers = dict(re.findall(r"^@ (.+)\n([\s\S]*?)(?=^@ |\Z)", done.stdout, flags=re.MULTILINE))
    wrong = [group for group in groups if answers.get(group, "").strip() != CLOSED]
    closed = {name for group, parts in groups.items() if group not in wrong for name in parts}
    shown = [f"{name}.{theorem}" for name in files() for theorem in theorems(name)]
    print(*(f"closed: {name}" for name in shown if name in closed), sep="\n")
    for what, some in (("theorems", set(shown)), ("lemmas", set(names).difference(shown))):
        print(f"{len(closed & some)} of {len(some)} {what} are closed under the global context.")
    return [f"{group} is not closed: {answers.get(group, done.stderr).strip()}" for group in wrong]


def check_false_variants(room: Path) -> list[str]:
    """The theorems of which a false variant is missing, badly formed, or proved as well."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda name: check_false_variants_of(name, room), files()))
    print(f"{sum(refused for refused, _ in found)} false variants: the proof of the true statement fails on each.")
    return [wrong for _, all_wrong in found for wrong in all_wrong]


def check_false_variants_of(name: str, room: Path) -> tuple[int, list[str]]:
    """How many of a file are refused, and what is wrong with the others."""
    variants, known, refused = false_variants().get(name, {}), theorems(name), 0
    wrong = [f"{name}.{theorem} has no false variant" for theorem in known if theorem not in variants]
    wrong += [f"false.toml: there is no theorem {name}.{theorem}" for theorem in variants if theorem not in known]
    if wrong or not known:
        return 0, wrong
    done = run(["coqtop", "-q", "-quiet", *FLAGS, "-R", ".", "capstats"], room, with_false_variants(name))
    said = re.sub(r"\s+", " ", done.stdout + done.stderr) + " "
    for theorem in known:
        if f"@stated {theorem} " not in said:
            wrong.append(f"the false variant of {name}.{theorem} is not well formed")
        elif f"The reference {theorem}__false was not found" not in said:
            wrong.append(f"the false variant of {name}.{theorem} is proved as well: {variants[theorem]['says']}")
        elif f"@held {theorem} " not in said or f"The reference {theorem} was not found" in said:
            wrong.append(f"{name}.{theorem} itself is refused after its false variant")
        else:
            refused += 1
            print(f"its proof fails on the variant: {name}.{theorem}, {variants[theorem]['says']}", flush=True)
    return refused, wrong


def main(everything: bool) -> int:
    if not shutil.which("coqc") or not shutil.which("coqtop"):
        print("NOT RUN: proofs (needs coqc)")
        return int(everything)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        wrong = compile_all(room) or check_assumptions(room, one_by_one=everything)
        if everything and not wrong:
            wrong = check_false_variants(room)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"The proofs {'do not hold' if wrong else 'hold'} ({time.monotonic() - start:.0f} s).")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main("--all" in sys.argv[1:]))
