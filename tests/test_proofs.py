"""The proofs by machine: what they name exists, and what is written about them is theirs. `proofs/check.py` compiles them."""

import re
import runpy
import shutil
import sys
import tomllib
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import capstats

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "proofs"
STATEMENTS = tomllib.loads((ROOT / "theory" / "statements.toml").read_text(encoding="utf-8"))
MACHINE = {name: fields for name, fields in STATEMENTS.items() if "coq" in fields}
CHECK, EXAMPLES, TABLE = (runpy.run_path(str(PROOFS / f"{name}.py")) for name in ("check", "examples", "table"))
FILES = CHECK["files"]()
TOOLS = {"fields", "numbers", "examples", "refuted"}  # no statement of theory/ is about them


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


def test_every_sentence_is_of_the_permitted_kinds():
    assert CHECK["read_all"]()[1] == []


PROOF = "Proof. by []. Qed.\n"
HONEST = f"""(** * Words (* of (* nested *) *) comments: Axiom, Admitted. *)
From mathcomp Require Import all_ssreflect all_algebra.
Section S.
Variables (R : realFieldType) (f : nat -> R).
Hypothesis f0 : f 0 = 0%R.
Let g := f.
Definition twice n := n + n.
Theorem a n : n.+1 != 0.
{PROOF}End S.
"""
PLANTS = {  # what each tries -> its code, and the sentence or sign at which it is refused
    "a hypothesis outside of sections": ("Hypothesis gap : False.", "outside of a section"),
    "a variable outside of sections": ("Variable gap : False.", "outside of a section"),
    "a variable after the section": ("Section T. End T. Variable gap : False.", "outside of a section"),
    "a context": ("Section T. Context (gap : False). End T.", "Context"),
    "a module, whose End ends no section": ("Module M. End M. Section T. End T. Variable gap : False.", "Module M"),
    "End of what is not open": ("End M.", "ends no section"),
    "a theorem of the same name": (f"Section T.\nTheorem a : True.\n{PROOF}End T.", "the name a is taken"),
    "a theorem of the name of a definition": (f"Theorem twice : True.\n{PROOF}", "the name twice is taken"),
    "a definition that shadows another": ("Definition twice n := n.", "the name twice is taken"),
    "a local definition that shadows another": ("Section T. Let twice n := n. End T.", "the name twice is taken"),
    "a variable that shadows a definition": ("Section T. Variables (n : nat) (twice : nat). End T.", "the name twice is taken"),
    "an admitted proof": ("Theorem b : False.\nAdmitted.", "Admitted"),
    "an admitted proof after Proof": ("Theorem b : False.\nProof. Admitted.", "Admitted"),
    "a tactic that admits": ("Theorem b : False.\nProof. admit. Qed.", "admit"),
    "a tactic that gives up": ("Theorem b : False.\nProof. by give_up. Qed.", "give_up"),
    "a proof that is aborted": ("Theorem b : False.\nProof. Abort.", "Abort"),
    "Qed in a comment before Abort": ("Theorem b : False.\nProof.\n(* by []. Qed. *) Abort.", "Abort"),
    "a comment that ends within quotation marks": ('(* " *) Axiom gap : False. (* " *)', "character '\"'"),
    "a comment in a comment": ("(* (* *) *) *) Axiom gap : False. (*", "a comment ends that has not begun"),
    "a comment that does not end": ("(* Theorem b : False.", "a comment does not end"),
    "a full stop that touches a comment": ("Definition b := 1.(* *) Axiom gap : False.", "touches"),
    "a full stop without a blank": ("Definition b := 1.(Axiom gap : False).", "a full stop"),
    "three full stops": ("Theorem b : True.\nProof... Qed.", "a full stop"),
    "a form feed as a blank": ("Definition b := 1.\fAxiom gap : False.", "the character"),
    "a Greek letter that looks like a Latin one": (f"Theorem \u03bf : True.\n{PROOF}", "the character"),
    "a blank that is no blank": ("Definition b\u00a0:= 1.", "the character"),
    "a definition without a body": ("Definition b : False.\nProof. by []. Qed.", "Definition b"),
    "a definition that is a proof": ("Definition b : False.\nProof. by []. Defined.", "Definition b"),
    "a proof that ends with Defined": ("Theorem b : True.\nProof. by []. Defined.", "Defined"),
    "a statement inside a proof": ("Theorem b : True.\nProof. Axiom gap : False. by []. Qed.", "Axiom gap"),
    "a command behind a bullet": ("Theorem b : True.\nProof. - Axiom gap : False. by []. Qed.", "Axiom gap"),
    "a command behind a brace": ("Theorem b : True.\nProof. { Axiom gap : False. by []. } Qed.", "Axiom gap"),
    "a statement without Proof": ("Theorem b : True. by []. Qed.", "'Proof' must follow"),
    "a file that ends in a proof": ("Theorem b : False.\nProof. by [].", "within a proof"),
    "no guard for recursion": ("Unset Guard Checking.", "Unset Guard"),
    "no guard, with two blanks": ("Unset  Guard  Checking.", "Unset Guard"),
    "no positivity": ("Unset Positivity Checking.", "Unset Positivity"),
    "no universes": ("Unset Universe Checking.", "Unset Universe"),
    "an attribute": ("#[bypass_check(guard)] Fixpoint b (n : nat) : False := b n.", "#["),
    "an attribute of a theorem": (f"#[local] Theorem b : True.\n{PROOF}", "#["),
    "a notation for <= in a scope of its own": ("Local Notation le := (fun _ _ => True).", "Local Notation"),
    "another scope": ("Local Open Scope nat_scope.", "nat_scope"),
    "a tactic that prints the verdict": ("Ltac b := idtac.", "idtac"),
    "a tactic that is replaced": ("Ltac b ::= exact I.", "::="),
    "a tactic within a statement": (f"Theorem b : ltac:(exact True).\n{PROOF}", "ltac"),
    "a tactic of another compiler": ("Theorem b : True.\nProof. by native_compute. Qed.", "native_compute"),
    "a tactic that is not on the list": ("Theorem b : True.\nProof. tauto. Qed.", "tauto"),
    "a library that is not on the list": ("From Coq Require Import Classical.", "Classical"),
    "a file of the proofs that comes later": ("From capstats Require Import swap.", "no file before this one: swap"),
}


OTHER_WORDS = (  # with which no sentence of the list begins
    "Axiom Parameter Conjecture Corollary Goal Fixpoint Inductive Notation Infix Coercion Canonical Instance Arguments Print Comments "
    "Redirect Fail Load Require Add Declare Primitive Register Extraction Undo Reset Module Set Global Eval Program Function Scheme Hint"
)


def told(code: str) -> str:
    """What `check.py` says of a file of this text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CHECK["read"].__globals__, "text_of", lambda _: code)
        try:
            CHECK["read"]("planted", {})
        except ValueError as error:
            return str(error)
    return ""


def test_an_honest_file_is_not_refused():
    assert told(HONEST) == ""
    assert told(HONEST.strip()) == ""


def test_the_false_theorem_that_was_certified_is_refused():
    """All individual CAPs of every key add up to 1, matched or not: after the End of a module, and by a name that is taken."""
    false = """Module M. End M.
Section Gap.
Variables (R : realFieldType) (T K : finType).
End Gap.
Variable gap : forall (R : realFieldType) (T K : finType) (s : table R T K) j, \\sum_i share s i j = 1.
Theorem theorem_1 (R : realFieldType) (T K : finType) (s : table R T K) j : \\sum_i share s i j = 1.
Proof. exact: gap. Qed.
"""
    counts = CHECK["text_of"]("counts")
    assert told(counts) == ""
    assert "Module M" in told(counts + false)
    assert "the name theorem_1 is taken" in told(counts + false[false.index("Theorem") :])


@pytest.mark.parametrize("tries", PLANTS)
def test_a_planted_file_is_refused(tries):
    code, reason = PLANTS[tries]
    assert reason in told(f"{HONEST}{code}\n")


def test_a_sentence_that_begins_with_another_word_is_refused_within_a_section_and_outside():
    for word in OTHER_WORDS.split():
        for planted in (f"{word} gap : False.", f"{word} gap := twice.", f"{word}.", f"Section T. {word} gap : False. End T."):
            assert f"not a sentence of the list: {word}" in told(f"{HONEST}{planted}\n"), planted


QED = "Proof. by []. Qed."
CHANGED = {  # what is changed in meaning, in sentences that are permitted -> a theorem or definition "t", before and after
    "nothing": (f"Theorem t n : n <= n.+1. {QED}",) * 2,
    "a hypothesis more": (
        f"Section S. Variable n : nat. Theorem t : n <= n.+1. {QED} End S.",
        "Section S. Variable n : nat. Hypothesis n1 : odd n. Theorem t : n <= n.+1. Proof. by move: n1. Qed. End S.",
    ),
    "a hypothesis in the statement": (f"Theorem t n : n <= n.+1. {QED}", f"Theorem t n : odd n -> n <= n.+1. {QED}"),
    "a variable of a library's name": (
        f"Theorem t n : predn n = predn n. {QED}",
        f"Section S. Variable predn : nat -> nat. Theorem t n : predn n = predn n. {QED} End S.",
    ),
    "a local definition of a library's name": (
        f"Theorem t n : double n = double n. {QED}",
        f"Section S. Let double (n : nat) := n. Theorem t n : double n = double n. {QED} End S.",
    ),
    "a bound name of a library's name": (f"Theorem t : leq 0 = leq 0. {QED}", f"Theorem t (leq : nat -> nat) : leq 0 = leq 0. {QED}"),
    "an order upside down": (
        f"Theorem t (x y : nat) : (x <= y)%O -> (x <= y)%O. {QED}",
        f"Theorem t (x y : nat^d) : (x <= y)%O -> (x <= y)%O. {QED}",
    ),
    "a type that is not printed": (f"Theorem t : 0%R = 0%R :> int. {QED}", f"Theorem t : 0%R = 0%R :> rat. {QED}"),
    "a truth value as a number": (f"Theorem t (b : bool) : b = b. {QED}", f"Theorem t (b : bool) : b = b :> nat. {QED}"),
    "the body of a definition": ("Definition t (n : nat) := n + 1.", "Definition t (n : nat) := n + 2."),
    "a definition of a library's name": (
        f"Theorem t (s : seq nat) : sumn s = sumn s. {QED}",
        f"Definition sumn (s : seq nat) := 0. Theorem t (s : seq nat) : sumn s = sumn s. {QED}",
    ),
}
LIBRARY = "From mathcomp Require Import all_ssreflect all_algebra.\nImport Order.TTheory GRing.Theory Num.Theory.\n"
needs_coq = pytest.mark.skipif(shutil.which("coqchk") is None, reason="needs Coq")


def compiled(texts: dict[str, str], room: Path) -> None:
    for name, text in texts.items():
        (room / f"{name}.v").write_text(LIBRARY + text + "\n", encoding="utf-8")
        done = CHECK["run"](room, "coqc", *CHECK["FLAGS"], f"{name}.v")
        assert not done.returncode, (name, done.stderr)


@needs_coq
def test_a_change_of_meaning_changes_the_final_types(tmp_path):
    texts, sentences = {"old": "", "new": ""}, {"old": [], "new": []}
    for number, both in enumerate(CHANGED.values()):
        for when, code in zip(texts, both, strict=True):
            assert told(f"{HONEST}{code.replace(' t', ' b')}\n") == ""
            name = f"t_{when}{number}"
            texts[when] += re.sub(r"(Theorem|Definition) t\b", rf"\1 {name}", code) + "\n"
            sentences[when].append(("definition" if f"Definition {name}" in texts[when] else "theorem", name, ""))
    compiled(texts, tmp_path)
    with pytest.MonkeyPatch.context() as patch:  # the names themselves do not count
        digest = CHECK["digest"]
        patch.setitem(CHECK["types"].__globals__, "digest", lambda text: digest(re.sub(r"t_(?:old|new)\d+|old\.|new\.", "", text)))
        found = CHECK["types"](tmp_path, sentences)
    lines = {name: line[:16] for line in found.splitlines() if (name := re.search(r"t_\w+", line)[0])}
    same = [change for number, change in enumerate(CHANGED) if lines[f"t_old{number}"] == lines[f"t_new{number}"]]
    assert same == ["nothing"]


@needs_coq
def test_what_the_first_reading_would_miss_is_found_in_the_compiled_files(tmp_path, capsys):
    gap = "Axiom gap : False.\nTheorem t : False.\nProof. exact gap. Qed."
    endless = "Unset Guard Checking.\nFixpoint f (n : nat) : False := f n.\nTheorem t : False.\nProof. exact (f 0). Qed."
    universes = "Unset Universe Checking.\nDefinition u : Type := (Type : Type).\nTheorem t : True.\nProof. by []. Qed."
    forged = f'Theorem t : True.\nProof. by []. Qed.\nGoal True. idtac "{CHECK["CLOSED"]}". Abort.'
    texts = {"gap": gap, "endless": endless, "universes": universes, "forged": forged}
    compiled(texts, tmp_path)
    sentences = {name: [("theorem", "t", "")] for name in texts}
    wrong = CHECK["check_assumptions"](tmp_path, sentences, one_by_one=True)
    assert sorted(line.partition(".t is not closed")[0] for line in wrong) == ["endless", "gap", "universes"]
    assert all(CHECK["read_again"](tmp_path, {name: sentences[name]}, everything=False) for name in ("gap", "endless", "universes"))
    assert CHECK["read_again"](tmp_path, {"forged": sentences["forged"]}, everything=False) == []


@needs_coq
def test_a_verdict_that_is_printed_by_another_is_none(tmp_path):
    honest = CHECK["asked"](tmp_path, "honest", [], {"one": "Check I.", "two": "Check 0."})
    assert honest == {"one": "I : True", "two": "0 : nat"}
    for forged in ('Goal True. idtac "0 two"; idtac "closed". Abort.', "Fail Check I.\nQuit."):
        with pytest.raises(RuntimeError, match="does not answer"):
            CHECK["asked"](tmp_path, "forged", [], {"one": f"{forged}\nDrop.", "two": "Check 0."})


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
    same = TABLE["pages"]()[page] == page.read_text(encoding="utf-8")
    assert same, f"{page.name} is of before: run python proofs/table.py"


def test_the_headline_counts_statements():
    assert TABLE["proved"]() == (len(MACHINE), sum(fields["coq_covers"] == "all parts" for fields in MACHINE.values()))
    assert TABLE["headline"]() in (ROOT / "proofs" / "README.md").read_text(encoding="utf-8")


def test_each_statement_that_is_checked_by_machine_says_so_after_its_proof():
    said = "".join(page.read_text(encoding="utf-8") for page in TABLE["pages"]())
    assert said.count("\n</details>\n\n*Machine-checked* in [") == len(MACHINE)


def test_examples_are_those_that_the_oracle_gives():
    assert EXAMPLES["text"]() == CHECK["text_of"]("examples")
    assert len(EXAMPLES["examples"]()) == 13


@pytest.mark.parametrize("says", EXAMPLES["PAIRS"])
def test_capstats_gives_the_averages_that_coq_proves(says):
    o, s = EXAMPLES["PAIRS"][says]
    assert float(capstats.average_cap(o, s)) == pytest.approx(float(EXAMPLES["version_1"](o, s)), rel=4e-16)
    if float(capstats.matched_records(o, s)):
        assert float(capstats.average_cap(o, s, unmatched="drop")) == pytest.approx(float(EXAMPLES["version_2"](o, s)), rel=4e-16)
    else:
        assert np.isnan(capstats.average_cap(o, s, unmatched="drop"))


def test_capstats_gives_all_averages_of_small_tables_that_coq_computes():
    tables = np.array(list(product(range(3), repeat=4)), dtype=float).reshape(-1, 2, 2)
    o, s = (xr.DataArray(tables, dims=(dim, "target", "key")) for dim in ("original", "synthetic"))
    lines = [line.split(" ") for line in CHECK["PAIRS"].read_text(encoding="utf-8").splitlines()]
    proved = np.array([[[np.nan if f == "-" else float(Fraction(f)) for f in pair.split(",")] for pair in line] for line in lines])
    assert proved.shape == (81, 81, 2)
    for version, unmatched in enumerate(("zero", "drop")):
        given = capstats.average_cap(o, s, unmatched=unmatched).transpose("original", "synthetic").values
        np.testing.assert_allclose(given, proved[:, :, version], rtol=4e-16, atol=0)


@pytest.mark.parametrize("says", EXAMPLES["TABLES"])
def test_capstats_gives_the_baselines_that_coq_proves(says):
    o = EXAMPLES["TABLES"][says]
    assert float(capstats.average_cap(o, o)) == pytest.approx(float(EXAMPLES["version_1"](o, o)), rel=4e-16)
    assert float(capstats.baseline_cap(o)) == pytest.approx(float(EXAMPLES["baseline"](o)), rel=4e-16)


def test_without_coq_it_says_so(monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent / "nowhere"))
    assert [CHECK["main"](required) for required in (False, True)] == [0, 1]
    assert capsys.readouterr().out == "NOT RUN: proofs (needs coqc)\n" * 2
