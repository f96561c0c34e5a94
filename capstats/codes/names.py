"""Names and labels as text: hints at the nearest name, and what is safe to print."""

from __future__ import annotations

import ast
import difflib
import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn, cast

import numpy as np

from capstats.codes.checks import is_name, shown, shown_name

RUN = re.compile(r"(^|;)(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")  # a semicolon separates cells in many countries
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")

NEAR = 0.6  # least similarity of a known name that is suggested, from 0 to 1 (difflib)
NEARER = 0.8  # the same of a name that may be a confidential value, unless it differs by one letter


# Removed public names, and what to use in their place.
_CONTRAST = "capstats.individual_share: plain_contrast was its estimate, average_cap and holdout_cap its original and holdout"
REMOVED = {
    "capstats.holdout_contrast": _CONTRAST,
    "capstats.cap.holdout_contrast": _CONTRAST,
    "capstats.anonymity.alpha_k_anonymity": "alpha and k of capstats.anonymity.anonymity_profile(o, s)",
    "capstats.anonymity.beta_likeness": "beta and enhanced_beta of capstats.anonymity.anonymity_profile(o, s)",
    "capstats.anonymity.delta_disclosure": "delta and delta_occurring of capstats.anonymity.anonymity_profile(o, s)",
    "capstats.anonymity.satisfies_anonymity": "the measure of each model and its parameter, such as capstats.anonymity.k_anonymity(s) >= 5",
    "capstats.attacks.CAPClassifier": "capstats.average_cap(o, s), which is the average of model_attack with it",
    "capstats.attacks.best_membership_width": "capstats.attacks.membership_roc for each width, and the greatest best_difference",
    "capstats.lessons.LESSONS": "the command capstats lesson, which lists them",
    "capstats.peers.as_sdnist": "capstats.disclosure.disco(o, s), capstats.disclosure.dio(o), and their difference",
    "capstats.peers.as_synthgauge": "capstats.disclosure.disco(o, s), which is its tcap_score",
    "capstats.population.delta_presence": "least and greatest t.s / t.o of t = capstats.tabulate(register, sample, keys=..., target=None)",
    "capstats.population.journalist_risk": "1 / t.o.where(t.s > 0) of t = capstats.tabulate(register, sample, keys=..., target=None)",
    "capstats.population.k_map": "capstats.population.population_profile(o, population=population).k_map",
    "capstats.population.population_marketer_risk": "journalist_average of capstats.population.population_profile, the same mean",
    "capstats.population.differencing": "capstats.disclosure.published_bounds, of which two codings of a column are two tables",
    "capstats.disclosure.sample_uniques": "capstats.disclosure.share_unique, the same share of people",
    "capstats.disclosure.replicated_uniques": "capstats.disclosure.share_replicated, the same share of people",
    "capstats.disclosure.tau_curve": "capstats.disclosure.tcap(o, s, variant=..., tau=tau) for each tau",
    "capstats.disclosure.weap": "capstats.individual_cap(s, s), the same share",
    "capstats.plotting.plot_anonymity": "capstats.anonymity.anonymity_profile(o, s).to_pandas(), the same numbers as a table",
    "capstats.plotting.plot_attack_utility": "matplotlib's Axes.plot of found.average and of 1 - utility over found.releases",
    "capstats.plotting.plot_tau_curve": "matplotlib's Axes.step of capstats.disclosure.tcap at several tau",
    "capstats.plotting.plot_letter_values": "capstats.plotting.plot_individual_cap(capstats.cap_boxplot(o, s))",
    "capstats.population.group_disclosure": 'capstats.disclosure.dio(o) for outsiders, (o > 0) & (o.sum("target") - o <= k) for k people',
    "capstats.population.poisson_lognormal_uniqueness": "capstats.population.population_uniqueness, which fits a model to records",
    "capstats.population.subtraction_attribution": "scipy.stats.hypergeom(n, x, k).pmf(x) for a cell of x of n records",
    "capstats.screening.cap_after_merge": "capstats.screening.rank_merges(o, s, columns=[column])",
    "capstats.cap.smoothed_cap": "capstats.average_cap(o, s + alpha)",
    "capstats.laws.cap_tail_bound": "capstats.laws.cap_law, the law itself",
    "capstats.laws.expected_cap_bounds": 'capstats.laws.expected_cap(o, model, unmatched="drop"), the mean, or draws of sample_tables',
    "capstats.laws.expected_noisy_cap": "the mean of capstats.average_cap over draws of capstats.laws.noisy_counts",
    "capstats.laws.protected_law": "capstats.cap.protected_records of the draws of capstats.laws.sample_tables, divided by the records",
    "capstats.laws.pooled_law": "capstats.average_cap of sums of the draws of capstats.laws.sample_tables",
}


# Names of other fields and libraries for what has another one here.
GUESSED = {"multinomial": "capstats.laws.Bootstrap, records drawn with the shares of the original, or capstats.laws.Given, with any shares"}

# Arguments that are guessed under the names of other libraries, or were called so before: what to give, where a function takes it.
ARGUMENTS = {
    **dict.fromkeys(("n", "size", "records", "n_records", "n_rows"), "m=, the number of records of a release"),
    **dict.fromkeys(("seed", "random_state", "generator"), "rng=, a seed or a numpy Generator"),
    **dict.fromkeys(("n_draws", "n_samples", "repetitions", "n_resamples"), "draws="),
    **dict.fromkeys(
        ("version", "convention", "unmatched_keys"), 'unmatched=: "zero" is version 1, "drop" is version 2, "nearest" uses the nearest'
    ),
    **dict.fromkeys(("confidence", "confidence_level", "conf_level", "ci", "coverage"), "level="),
    **dict.fromkeys(("tolerance", "distance"), "within="),
    **dict.fromkeys(("table", "counts", "original", "real"), "o=, or a Dataset of tabulate as the first argument"),
    **dict.fromkeys(("synthetic", "synth", "release"), "s=, or a Dataset of tabulate as the first argument"),
    **dict.fromkeys(("holdout", "control", "test"), "h=, or a Dataset of tabulate that holds it as the first argument"),
}
_OF_DATASET = "the Dataset of tabulate as the first argument, which holds it"
ELSEWHERE = {  # what no argument gives
    **dict.fromkeys(("o_squares", "h_squares", "o_records", "h_records"), _OF_DATASET),
    **dict.fromkeys(("normalize", "normalized"), "capstats.cap.normalized_cap"),
}


def open_room(module: str) -> None:
    """Make a room answer for names that it no longer has, and its functions and models (wrapped) name the right argument for a wrong one.

    Its ``__all__`` lists its constants and what its own files define; the imports of these, each ``as`` itself, tell it to type checkers.
    All this happens when the room is imported, out of sight of type checkers, which would otherwise let misspelt names pass.
    """

    def answer(name: str) -> NoReturn:
        raise missing_name(module, name)

    room = vars(sys.modules[module])
    room.setdefault("__getattr__", answer)
    own = [name for name, of in room.items() if name.isupper() or getattr(of, "__module__", "").startswith(f"{module}.")]
    room.setdefault("__all__", sorted(own))
    for name in room["__all__"]:
        found = room.get(name)
        if isinstance(found, FunctionType) and not hasattr(found, "names_arguments"):
            room[name] = _naming_arguments(found, name)
            vars(sys.modules[found.__module__])[name] = room[name]  # where pickle looks for it
        elif isinstance(found, type) and isinstance(made := vars(found).get("__init__"), FunctionType):
            if hasattr(made, "names_arguments"):
                continue
            found.__init__ = _naming_arguments(made, name)  # type: ignore[misc]


def loaded_later(module: str, names: Mapping[str, str], rooms: str = "") -> Callable[[str], Any]:
    """The ``__getattr__`` of a package, which loads a room, or a name of one of its modules, when it is asked for."""
    module_of = {name: of for of, its in names.items() for name in its.split()}
    vars(sys.modules[module])["__all__"] = sorted(module_of, key=lambda name: (not name.isupper(), name))

    def load(name: str) -> Any:
        if name in rooms.split():
            return import_module(f"{module}.{name}")
        if name not in module_of:
            raise missing_name(module, name)
        package = vars(sys.modules[module])
        package[name] = getattr(import_module(f"{module}.{module_of[name]}"), name)
        open_room(module)
        return package[name]

    return load


def _naming_arguments(function: FunctionType, called: str) -> FunctionType:
    """The function, which says of an argument that it does not have what to give in its place."""
    takes = inspect.signature(function).parameters  # with the options of reading where they are shown
    if any(x.kind is x.VAR_KEYWORD for x in takes.values()):
        return function
    known = [name for name, x in takes.items() if x.kind is not x.VAR_POSITIONAL]
    places = sum(x.kind is x.POSITIONAL_OR_KEYWORD for x in takes.values())

    @wraps(function)
    def checked(*positional: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                raise TypeError(f"{called}() has no argument `{name}`.{_right_argument(name, [x for x in known if x != 'self'])}")
        _check_places(called, positional, known, places)
        return function(*positional, **given)

    checked.names_arguments = True  # type: ignore[attr-defined]  # so that a name of two rooms is wrapped once
    return cast(FunctionType, checked)


def _check_places(called: str, given: tuple[Any, ...], known: list[str], places: int) -> None:
    """Raise where a function is given more by position than it takes, or in the place of `s` what is no table."""
    own, wrong = known[:1] == ["self"], ""
    if len(given) > places > 0:
        wrong, others = f"{places - own} argument{'s' * (places - own != 1)} by position; got {len(given) - own}.", known[places:]
    elif known[1:2] == ["s"] and len(given) > 1 and given[1] is not None and not hasattr(s := given[1], "data_vars"):
        held = hasattr(given[0], "data_vars")
        if isinstance(s, str) or (held and (s.ndim if hasattr(s, "ndim") else np.array(s, object).ndim) < 2):
            wrong, others = f"a table of counts as `s`; got {shown(s)}.{' The Dataset brings its own tables.' * held}", known[2:]
    if wrong:
        raise TypeError(f"{called}() takes {wrong}" + f" Give others by name: {', '.join(f'{x}=' for x in others)}." * bool(others))


def _right_argument(name: str, known: list[Hashable]) -> str:
    """The end of an error message about an unknown argument: what to give in its place, or all that there are."""
    meant = ARGUMENTS.get(name, "")
    if name in ELSEWHERE or meant.partition("=")[0] in known:
        return f" Give {ELSEWHERE.get(name, meant)}."
    near = _nearest(name, known, NEARER if meant else NEAR)  # what a known guess means is not what looks a little like it
    return near or f" It takes {', '.join(map(str, known))}."


def missing_name(module: str, name: str) -> Exception:
    """The AttributeError that a module raises for a name that it lacks; of one that is elsewhere or was removed it says what to use.

    ``from capstats import name`` would replace the text of an AttributeError by its own, so it is given an ImportError.
    """
    path = f"{module}.{name}"
    there = GUESSED.get(name.lower()) or public_places().get(name)
    if path in REMOVED:
        told = f"{path} was removed; use {REMOVED[path]}."
    elif there:
        told = f"module {module!r} has no attribute {name!r}. Use {there}."
    else:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    imported = sys._getframe(2).f_globals["__name__"] == "importlib._bootstrap"
    return (ImportError if imported else AttributeError)(told)


@cache
def public_places() -> dict[str, str]:
    """The path of each public name, from the sources of the rooms, none of which is loaded for it; the top comes before its rooms."""
    top = Path(__file__).parents[1]
    found: dict[str, str] = {}
    for file in [*sorted(top.glob("*/__init__.py")), top / "__init__.py"]:
        path = ".".join(("capstats", *file.with_suffix("").relative_to(top).parts)).removesuffix(".__init__")
        for line in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(line, ast.ImportFrom) and line.module != "capstats":
                found |= {x.name: f"{path}.{x.name}" for x in line.names if x.asname}
    return found


def hint(name: Hashable, names: Iterable[Hashable]) -> str:
    """The end of an error message about an unknown name: the nearest known one, or all of them."""
    known = list(names)
    if not known:
        return " It has none."
    near = _nearest(name, known, NEAR)
    return near or f" It has {', '.join(map(repr, known[:20]))}{', ...' if len(known) > 20 else ''}."


def check_named(argument: str, named: Collection[Hashable], columns: Collection[Hashable], absent: str) -> None:
    """Raise unless each column that an argument names is one of those that are counted; ``absent`` says what another one is."""
    for column in named:
        if not is_name(column) or column not in columns:
            raise ValueError(f"`{argument}` names {shown_name(column, named)}, which is {absent}." + hint(column, columns))


def hint_of_data(name: Hashable, names: Iterable[Hashable], what: str = "column") -> str:
    """The same where the names are data, or may be: in a file without a line of names they are the values of its first record."""
    known = list(dict.fromkeys(names))  # of several tables
    near = _nearest(name, known, NEARER) or _nearest(name, [x for x in known if _one_slip(str(name), str(x))], NEAR)
    several = f"None of its {len(known)} {what}s has" if len(known) > 1 else f"Its only {what} does not have"
    lines = "; in a file without a line of names, the first record is taken for one" if what == "column" else ""
    return near or (f" {several} a similar name{lines}." if known else " It has none.")


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter is missing, added or another one, or two neighbours are exchanged."""
    b, a = sorted((a.casefold(), b.casefold()), key=len)
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(b))
    return a[i + 1 :] in (b[i + 1 :], b[i:]) or (a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :])


def _nearest(name: Hashable, known: list[Hashable], similarity: float) -> str:
    folded = {str(n).casefold(): n for n in reversed(known)}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=similarity)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


# --- printable text --------------------------------------------------------------------------------------------------


def printable(text: object) -> str:
    """The text with escapes in place of control characters, line breaks, marks of writing direction and other invisible characters."""
    shown = str(text)
    return shown if shown.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)


def printable_json(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """A value as JSON text, with escapes in place of what is not printable; ``default`` is that of ``json.dumps``."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=default)
    return "\n".join(x if x.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in x) for x in text.split("\n"))


def named(name: object) -> str:
    """A name within a sentence: in quotes where it holds more than one plain word, so that its ends can be seen."""
    return str(name) if re.fullmatch(r"[^\W_][\w.\-/%]*", str(name)) else repr(str(name))


def in_cell(label: object, most: int | None = None) -> str:
    """A label in a table, of at most ``most`` characters: in quotes if it is empty, the text "missing", or begins or ends with a space."""
    text = str(label)
    plain = text and text == text.strip() and (text != "missing" or not isinstance(label, str))
    text = printable(text) if plain else repr(text)
    return text if most is None else shortened(text, most)


def listed(names: object) -> str:
    """Names as a list in a sentence: a, b and c."""
    *first, last = map(str, names) if isinstance(names, (list, tuple)) else [str(names)]
    return f"{', '.join(first)} and {last}" if first else last


def shortened(text: str, width: int) -> str:
    """The text, with dots in its middle where it is longer than ``width`` characters."""
    if len(text) <= width:
        return text
    left = max((width - 3) // 2, 1)
    return f"{text[:left]}...{text[len(text) - max(width - 3 - left, 1) :]}"


def in_spreadsheet(cell: Any) -> str:
    """A cell as text that a spreadsheet shows and does not run.

    An apostrophe is put before a text that begins with = + - @ (after spaces or quotes, too), a tab or a carriage return, and before such
    a part of it behind a semicolon. Numbers such as -1.5 stay. Invisible characters are escaped; a missing value is an empty cell.
    """
    if not isinstance(cell, (str, int)):
        from capstats.codes.labels import MISSING, canonical  # which loads pandas: no option or message needs it

        if canonical(cell) is MISSING:
            return ""
    text = str(cell)
    return text if NUMBER.fullmatch(text) else printable(RUN.sub(r"\1'", text))
