"""The proofs by machine: what they name exists, and what is written about them is theirs. `proofs/check.py` compiles them."""

import re
import runpy
import sys
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import capstats

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "proofs"
STATEMENTS = tomllib.loads((ROOT / "theory" / "statements.toml").read_text(encoding="utf-8"))
MACHINE = {name: fields for name, fields in STATEMENTS.items() if "coq" in fields}
CHECK, EXAMPLES, TABLE = (runpy.run_path(str(PROOFS / f"{name}.py")) for name in ("check", "examples", "table"))
FILES = CHECK["files"]()
TOOLS = {"fields", "numbers", "examples"}  # no statement of theory/ is about them


@cache
def theorems(file: str) -> list[str]:
    return CHECK["theorems"](file)


def test_every_file_is_compiled():
    assert sorted(FILES) == sorted(path.stem for path in PROOFS.glob("*.v"))


def test_files_open_with_their_statement_in_words_and_its_chapter():
    for file in FILES:
        opening = CHECK["text_of"](file).partition("*)")[0]
        assert opening.startswith("(** * ")
        if file != "fields":
            assert "In words." in opening
            assert set(re.findall(r"theory/([\w-]+)\.md", opening)) <= {fields["chapter"] for fields in STATEMENTS.values()}
            assert "Chapter: theory/" in opening


def test_no_proof_has_a_gap():
    assert [wrong for file in FILES for wrong in CHECK["gaps"](file)] == []
    for path in PROOFS.iterdir():
        if path.suffix in (".v", ".py", ".toml", ".md"):
            assert not CHECK["GAPS"].search(path.read_text(encoding="utf-8")), path.name


PROOF = "Proof. by []. Qed.\n"


@pytest.mark.parametrize(
    "code",
    [
        "Theorem a : True.\nAdmitted.\n",
        "Axiom gap : False.\n",
        "Theorem a : True.\nProof. admit. Qed.\n",
        f"Corollary a : True.\n{PROOF}",
        f" Theorem indented : True.\n{PROOF}",
        f"#[local] Theorem a : True.\n{PROOF}",
        f"Theorem a : True.\nProof. by []. Qed. (* so *)\nTheorem b : False.\n{PROOF}",
        f"Theorem a : True.\nProof. by []. Defined.\nTheorem b : False.\n{PROOF}",
        "Hypothesis gap : False.\n",
        "Section S.\nVariable n : nat.\nEnd S.\nVariable gap : False.\n",
        "Unset  Guard Checking.\n",
        "Module Type A. End A.\nDeclare Module B : A.\n",
    ],
)
def test_a_file_with_a_gap_is_refused(code, monkeypatch):
    monkeypatch.setitem(CHECK["gaps"].__globals__, "text_of", lambda _: code)
    assert CHECK["gaps"]("planted")


def test_a_file_without_a_gap_is_not_refused(monkeypatch):
    code = f"(* Words (* of *) comments: Corollary *)\nSection S.\nVariable n : nat.\nTheorem a : True.\n{PROOF}End S.\n"
    monkeypatch.setitem(CHECK["gaps"].__globals__, "text_of", lambda _: code)
    assert CHECK["gaps"]("planted") == []


def test_theorems_of_the_statements_exist_and_each_belongs_to_one():
    named = {name for fields in MACHINE.values() for name in fields["coq"]}
    assert named == {f"{file}.v#{theorem}" for file in FILES if file not in TOOLS for theorem in theorems(file)}
    assert all(fields["coq_covers"] for fields in MACHINE.values())


def test_each_file_names_the_chapters_of_its_theorems():
    for fields in MACHINE.values():
        for file in {name.partition(".v#")[0] for name in fields["coq"]}:
            assert f"theory/{fields['chapter']}.md" in CHECK["text_of"](file).partition("*)")[0]


@pytest.mark.parametrize("page", TABLE["pages"](), ids=lambda page: page.stem)
def test_table_and_chapters_say_what_the_statements_say(page):
    assert TABLE["pages"]()[page] == page.read_text(encoding="utf-8")


def test_each_statement_that_is_checked_by_machine_says_so_after_its_proof():
    said = "".join(page.read_text(encoding="utf-8") for page in TABLE["pages"]())
    assert said.count("\n</details>\n\n*Machine-checked* in [") == len(MACHINE)


def test_every_theorem_has_a_false_variant_that_differs_in_its_statement():
    variants = CHECK["false_variants"]()
    for file in FILES:
        assert sorted(variants.get(file, {})) == sorted(theorems(file))
        for found in CHECK["THEOREM"].finditer(CHECK["text_of"](file)):
            false = CHECK["false_statement"](found[2], variants[file][found[1]])
            assert " ".join(false.split()) != " ".join(found[2].split())


def test_examples_are_those_that_the_oracle_gives():
    assert EXAMPLES["text"]() == CHECK["text_of"]("examples")
    assert len(EXAMPLES["examples"]()) == 20


@pytest.mark.parametrize("says", EXAMPLES["PAIRS"])
def test_capstats_gives_the_averages_that_coq_proves(says):
    o, s = EXAMPLES["PAIRS"][says]
    assert float(capstats.average_cap(o, s)) == pytest.approx(float(EXAMPLES["version_1"](o, s)), rel=4e-16)
    if float(capstats.matched_records(o, s)):
        assert float(capstats.average_cap(o, s, unmatched="drop")) == pytest.approx(float(EXAMPLES["version_2"](o, s)), rel=4e-16)
    else:
        assert np.isnan(capstats.average_cap(o, s, unmatched="drop"))


@pytest.mark.parametrize("says", EXAMPLES["TABLES"])
def test_capstats_gives_the_baselines_that_coq_proves(says):
    o = EXAMPLES["TABLES"][says]
    assert float(capstats.average_cap(o, o)) == pytest.approx(float(EXAMPLES["version_1"](o, o)), rel=4e-16)
    assert float(capstats.baseline_cap(o)) == pytest.approx(float(EXAMPLES["baseline"](o)), rel=4e-16)


def test_without_coq_it_says_so(monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent / "nowhere"))
    assert [CHECK["main"](required) for required in (False, True)] == [0, 1]
    assert capsys.readouterr().out == "NOT RUN: proofs (needs coqc)\n" * 2
