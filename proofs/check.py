"""Compile the proofs, and compare what Coq has proved with what is written down.

``python proofs/check.py`` needs ``coqc`` and ``coqchk`` of Coq 8.16 with MathComp 1.15, and only the standard library of Python. It works
in a folder of its own, and fails unless

1. every sentence of the files of ``_CoqProject`` is of a kind that ``OUTSIDE`` or ``TACTICS`` permits, and no name is used twice;
2. all files compile, and ``coqchk`` finds them well typed in a second reading;
3. ``Print Assumptions`` says of all theorems and lemmas together "Closed under the global context";
4. the final types of all theorems and the bodies of all definitions are those of ``types.txt``;
5. all average CAPs of 2 x 2 tables with counts from 0 to 2 are those of ``PAIRS``, which the program of numbers.v computes.

``--write`` writes ``types.txt`` and ``PAIRS`` in place of 4 and 5. ``--all`` also lets ``coqchk`` read all of MathComp again, and asks
``Print Assumptions`` of each theorem by itself. Where there is no Coq it prints NOT RUN, which is a failure with ``--all``.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent
TYPES = HERE / "types.txt"
PAIRS = HERE.parent / "tests" / "reference" / "all_pairs_of_small_tables.txt"
FLAGS = ["-w", "-notation-overridden,-ambiguous-paths,-abstract-large-number", "-R", ".", "capstats"]
CLOSED = "Closed under the global context"
PATIENCE = 900  # seconds for one command
NAME = r"[A-Za-z]\w*'*"
OUTSIDE = {  # of proofs: all that a sentence may be, whole
    kind: re.compile(pattern)
    for kind, pattern in {
        "library": r"From mathcomp Require Import(?: all_ssreflect| all_algebra| all_fingroup)+"
        r"|From Coq Require Import (?:BinNat|Field|Lia)",
        "files": rf"From capstats Require Import(?P<names>(?: {NAME})+)",
        "setting": r"Set Implicit Arguments|Unset Strict Implicit|Unset Printing Implicit Defensive|Local Open Scope ring_scope"
        r"|Import(?: Order\.TTheory| GRing\.Theory| Num\.Theory)+|Add Field R_field : \(field_laws R\)",
        "begin": rf"Section (?P<section>{NAME})",
        "end": rf"End (?P<section>{NAME})",
        "assumed": r"(?:Variable|Variables|Hypothesis|Hypotheses) (?P<assumed>.*:.*)",
        "binders": r"Implicit Types? .*",
        "definition": rf"Definition (?P<name>{NAME})(?: .*)? :=.*",
        "local": rf"Let (?P<name>{NAME})(?: .*)? :=.*",
        "tactic": rf"Ltac (?P<name>{NAME})[\w ]*:=.*",
        "fact": rf"Let (?P<name>{NAME}).*:.*",
        "lemma": rf"Lemma (?P<name>{NAME}).*:.*",
        "theorem": rf"(?:Theorem|Example) (?P<name>{NAME}).*:.*",
    }.items()
}
INSIDE_SECTIONS = {"assumed", "local", "fact"}
TO_PROVE = {"fact", "lemma", "theorem"}
TACTICS = re.compile(
    r"(?:[-+*{}] ?)*(?:all: |\d-\d: )?(?:apply|by|case|congr|elim|exact|exfalso|exists|have|left|move|pose|rewrite|right|set|split|suff"
    r"|transitivity|under)\b.*"
)
NOWHERE = re.compile(r"\b(?:admit|give_up|idtac|ltac|native_compute|Admitted)\b|#\[|::=")  # also where the rest of a sentence is free
Sentence = tuple[str, str, str]  # kind, name if it has one, text


def files() -> list[str]:
    """The names of the files, in the order in which they compile."""
    return [line.removesuffix(".v") for line in (HERE / "_CoqProject").read_text(encoding="utf-8").splitlines() if line.endswith(".v")]


def text_of(name: str) -> str:
    return (HERE / f"{name}.v").read_text(encoding="utf-8")


def without_comments(text: str) -> str:
    """The text with a blank for each comment; they nest. Quotation marks, which could hide their ends, are nowhere."""
    if strange := re.search(r"[^ -~\n]|\"", text):
        raise ValueError(f"the character {strange[0]!a}, which could hide what Coq reads")
    kept, depth = [], 0
    for piece in re.findall(r"\(\*|\*\)|[^(*]+|.", text):
        depth += {"(*": 1, "*)": -1}.get(piece, 0)
        if depth < 0:
            raise ValueError("a comment ends that has not begun")
        kept.append(" " if piece == "*)" else piece if not depth else "")
    if depth:
        raise ValueError("a comment does not end")
    return "".join(kept)


def split(text: str) -> list[str]:
    """The sentences of a file, each with single blanks: they end with a full stop before a blank, and nothing else looks like one."""
    if glued := re.search(r"\.\(\*|\*\)[\w.]", text):
        raise ValueError(f"a comment that touches what stands beside it: {glued[0]}")
    code = without_comments(text)
    if unclear := re.search(r"\.(?!\s|\Z)(?<![\w')]\.(?=[\w+-]))", code):
        raise ValueError(f"a full stop that neither ends a sentence nor is within a name: {code[unclear.start() : unclear.end() + 9]!r}")
    *found, rest = re.split(r"\.(?=\s|\Z)", code)
    if rest.strip():
        raise ValueError(f"the last sentence does not end: {rest.strip()!r}")
    return [" ".join(sentence.split()) for sentence in found]


def read(name: str, known: dict[str, str]) -> list[Sentence]:
    """The sentences of a file outside of proofs. What is not permitted is a ValueError. Its names are added to the ``known``."""
    found: list[Sentence] = []
    sections: list[str] = []
    visible = {f"{name}.v"}
    to_prove = proving = False
    for sentence in split(text_of(name)):
        if word := NOWHERE.search(sentence):
            raise ValueError(f"{word[0]!r} in: {sentence}")
        if to_prove and sentence == "Proof":
            to_prove, proving = False, True
            continue
        if proving:
            proving = sentence != "Qed"
            if proving and not TACTICS.fullmatch(sentence):
                raise ValueError(f"not a tactic of the list: {sentence}")
            continue
        if to_prove:
            raise ValueError(f"'Proof' must follow a statement, not: {sentence}")
        kind, fields = next(((kind, match) for kind, of in OUTSIDE.items() if (match := of.fullmatch(sentence))), ("", None))
        if fields is None:
            raise ValueError(f"not a sentence of the list: {sentence}")
        if kind in INSIDE_SECTIONS and not sections:
            raise ValueError(f"outside of a section: {sentence}")
        if kind == "begin":
            sections.append(fields["section"])
        elif kind == "end" and (not sections or sections.pop() != fields["section"]):
            raise ValueError(f"it ends no section: {sentence}")
        elif kind == "files":
            if foreign := set(fields["names"].split()).difference(files()[: files().index(name)] if name in files() else ()):
                raise ValueError(f"no file before this one: {', '.join(sorted(foreign))}")
            visible |= {f"{file}.v" for file in fields["names"].split()}
        names = names_assumed(fields["assumed"]) if kind == "assumed" else [fields["name"]] if "name" in fields.groupdict() else []
        for each in names:
            if each in known and (kind not in INSIDE_SECTIONS or known[each] in visible):
                raise ValueError(f"the name {each} is taken, by {known[each]}: {sentence}")
        if kind not in INSIDE_SECTIONS:
            known |= dict.fromkeys(names, f"{name}.v")
        found.append((kind, names[0] if names and kind != "assumed" else "", sentence))
        to_prove = kind in TO_PROVE
    if to_prove or proving or sections:
        raise ValueError("the file ends within a proof or a section")
    return found


def names_assumed(binders: str) -> list[str]:
    """The names of ``(x y : T) (z : U)`` or ``x y : T``."""
    groups, depth, start = [], 0, 0
    for at, sign in enumerate(binders):
        depth += (sign == "(") - (sign == ")")
        if depth == 1 and sign == "(":
            start = at + 1
        elif not depth and sign == ")" and binders.startswith("("):
            groups.append(binders[start:at])
    return [name for group in groups or [binders] for name in group.partition(":")[0].split()]


def read_all() -> tuple[dict[str, list[Sentence]], list[str]]:
    """The sentences of each file outside of proofs, and what is wrong."""
    found, wrong, known = {}, [], dict[str, str]()
    for name in files():
        try:
            found[name] = read(name, known)
        except ValueError as error:
            wrong.append(f"{name}.v: {error}")
    return found, wrong


def named(sentences: dict[str, list[Sentence]], *kinds: str) -> list[str]:
    """The full names of what is of these kinds."""
    return [f"{file}.{name}" for file, some in sentences.items() for kind, name, _ in some if kind in kinds]


def theorems(file: str) -> list[str]:
    """The theorems of a file, or its examples, without its lemmas."""
    return [name for kind, name, _ in read(file, {}) if kind == "theorem"]


def run(room: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=room, capture_output=True, text=True, timeout=PATIENCE, check=False)


def compile_one(name: str, room: Path, required: list[Future[str]]) -> str:
    """What is wrong with a file, once those that it requires are compiled."""
    if any(file.result() for file in required):
        return f"{name}.v is not compiled: it requires one that does not compile"
    shutil.copy(HERE / f"{name}.v", room)
    start = time.monotonic()
    done = run(room, "coqc", *FLAGS, f"{name}.v")
    if done.returncode:
        return f"{name}.v does not compile:\n{done.stdout}{done.stderr}"
    print(f"compiled {name}.v in {time.monotonic() - start:.1f} s", flush=True)
    return ""


def compile_all(room: Path, sentences: dict[str, list[Sentence]]) -> list[str]:
    """What is wrong with the files themselves."""
    jobs: dict[str, Future[str]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, some in sentences.items():
            required = [file for kind, _, text in some if kind == "files" for file in text.split()[4:]]
            jobs[name] = pool.submit(compile_one, name, room, [jobs[file] for file in required])
    return [job.result() for job in jobs.values() if job.result()]


def asked(room: Path, name: str, opening: list[str], questions: dict[str, str]) -> dict[str, str]:
    """What Coq prints of each question, in a file of its own after all others, between marks with a number that no file could know."""
    nonce = secrets.token_hex(16)
    lines = [*opening, *(f'Goal True. idtac "{nonce} {about}". Abort.\n{question}' for about, question in questions.items())]
    (room / f"{name}.v").write_text("\n".join([*lines, f'Goal True. idtac "{nonce} end". Abort.']) + "\n", encoding="utf-8")
    done = run(room, "coqc", *FLAGS, f"{name}.v")
    pieces = re.split(rf"^{nonce} (.+)\n", done.stdout, flags=re.MULTILINE)
    answers = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    if done.returncode or list(answers) != [*questions, "end"]:
        raise RuntimeError(f"{name}.v: Coq does not answer:\n{done.stderr}")
    return {about: " ".join(answers[about].split()) for about in questions}


def requires(sentences: dict[str, list[Sentence]]) -> list[str]:
    """Without Import: no notation of a file is in force, and names of its own are printed with the file."""
    return [f"From capstats Require {file}." for file in sentences]


def check_assumptions(room: Path, sentences: dict[str, list[Sentence]], one_by_one: bool) -> list[str]:
    """The theorems and lemmas that rest on something that is not proved: all as parts of one term, which is faster, or one by one."""
    names = named(sentences, "lemma", "theorem")
    groups = {name: [name] for name in names} if one_by_one else {"one of all": names}
    questions = {}
    for number, (group, parts) in enumerate(groups.items()):
        term = " ".join(f"let _ := @{name} in" for name in parts)
        questions[group] = f"Definition term_{number} := {term} I.\nPrint Assumptions term_{number}."
    answers = asked(room, "assumptions", requires(sentences), questions)
    wrong = [f"{group} is not closed: {answer}" for group, answer in answers.items() if answer != CLOSED]
    if not wrong:
        lemmas = named(sentences, "lemma")
        print(f"{len(names) - len(lemmas)} theorems and {len(lemmas)} lemmas are closed under the global context.", flush=True)
    return wrong


def read_again(room: Path, sentences: dict[str, list[Sentence]], everything: bool) -> list[str]:
    """What ``coqchk`` finds wrong with the compiled files; also with those of MathComp and Coq if ``everything``."""
    modules = [word for file in sentences for word in ([] if everything else ["-norec"]) + [f"capstats.{file}"]]
    done = run(room, "coqchk", "-silent", "-o", *FLAGS[2:], *modules)
    said = done.stdout + done.stderr
    reasons = ("type-in-type: <none>", "unsafe (co)fixpoints: <none>", "positivity is assumed: <none>")
    if done.returncode or not all(reason in said for reason in reasons) or re.search(r"^ +capstats\.", said, flags=re.MULTILINE):
        return [f"coqchk does not accept the compiled files:\n{said}"]
    print(f"coqchk accepts the compiled files{', and those of MathComp and Coq' if everything else ''}.", flush=True)
    return []


def types(room: Path, sentences: dict[str, list[Sentence]]) -> str:
    """A line for each theorem and definition: the type (and body) in MathComp's notation, with a digest of the same written out in full.

    In full no notation, implicit argument, coercion or canonical structure is left out, and the name of each constant is its file's.
    """
    definitions, stated = named(sentences, "definition"), named(sentences, "theorem")
    known = {name: f"Print {name}." for name in definitions} | {name: f"Check @{name}." for name in stated}
    files_required = requires(sentences)
    width = "Set Printing Width 100000. Set Printing Depth 100000."
    library = [
        "From mathcomp Require Import all_ssreflect all_algebra all_fingroup.",
        "Import Order.TTheory GRing.Theory Num.Theory.",
        "Local Open Scope ring_scope.",
    ]
    readable = asked(room, "readable", [*library, *files_required, width, "Unset Printing Implicit Defensive."], known)
    full = asked(room, "written_out", [*files_required, width, "Set Printing All."], known)
    order = named(sentences, "definition", "theorem")
    return "".join(f"{digest(full[name])} {re.sub(r' Arguments .*', '', readable[name])}\n" for name in order)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def pairs(room: Path) -> str:
    """Average CAP of all pairs of 2 x 2 tables with counts from 0 to 2: for each original a line, and in it both versions of each release.

    Tables are in the order of their counts (1, 1), (1, 2), (2, 1), (2, 2) of (target, key); "-" is a quotient by 0, which is
    0 in Coq and NaN in capstats.
    """
    lines = [
        "From Coq Require Import NArith List.",
        "From mathcomp Require Import all_ssreflect.",
        "From capstats Require Import numbers.",
        "Definition rows := [seq (x, y) | x <- [:: 0; 1; 2], y <- [:: 0; 1; 2]].",
        "Definition tables := [seq [:: [:: a.1; b.1]; [:: a.2; b.2]] | a <- rows, b <- rows].",
        "Set Printing Width 100000. Set Printing Depth 1000000.",
    ]
    program = "Eval vm_compute in [seq (cap_quotient o s, cap_matched_quotient o s) | o <- tables, s <- tables]."
    answer = asked(room, "pairs", lines, {"pairs": program})["pairs"]
    numbers = [int(number) for number in re.findall(r"\d+", answer.partition(" : ")[0].replace("%num", ""))]
    values = [str(Fraction(above, below)) if below else "-" for above, below in zip(numbers[::2], numbers[1::2], strict=True)]
    if len(values) != 2 * 81**2:
        raise RuntimeError(f"Coq gives {len(values)} numbers for the pairs")
    both = [",".join(values[at : at + 2]) for at in range(0, len(values), 2)]
    return "".join(" ".join(both[at : at + 81]) + "\n" for at in range(0, len(both), 81))


def written(page: Path, text: str, write: bool) -> list[str]:
    """What is wrong with a file that Coq has written; or it is written."""
    if write:
        page.write_text(text, encoding="utf-8")
    there = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    changed = set(there) ^ set(text.splitlines())
    if not changed and len(there) == len(text.splitlines()):
        return []
    sample = "\n".join(sorted(changed, key=lambda line: line[17:])[:6])
    return [f"{page.name} is not what Coq says. If this is meant, read the difference after 'python proofs/check.py --write':\n{sample}"]


def check(everything: bool, write: bool) -> list[str]:
    """All that is wrong."""
    sentences, wrong = read_all()
    if wrong:
        return wrong
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        if wrong := compile_all(room, sentences):
            return wrong
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = [
                pool.submit(read_again, room, sentences, everything),
                pool.submit(check_assumptions, room, sentences, everything),
                pool.submit(lambda: written(TYPES, types(room, sentences), write) + written(PAIRS, pairs(room), write)),
            ]
        return [line for part in parts for line in part.result()]


def main(everything: bool = False, write: bool = False) -> int:
    if not shutil.which("coqc") or not shutil.which("coqchk"):
        print("NOT RUN: proofs (needs coqc)")
        return int(everything or write)
    start = time.monotonic()
    wrong = check(everything, write)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"The proofs {'do not hold' if wrong else 'hold'} ({time.monotonic() - start:.0f} s).")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main("--all" in sys.argv[1:], "--write" in sys.argv[1:]))
