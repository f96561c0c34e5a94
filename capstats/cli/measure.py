"""``capstats measure``: any measure of tables of counts by its name in the library, with its options, as text or JSON."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

import pandas as pd
import xarray as xr

from capstats.cli import outputs, reading
from capstats.cli.options import Settings
from capstats.cli.outputs import facts, title
from capstats.codes.names import hint, listed
from capstats.tables.backing import is_sparse
from capstats.tables.counts_files import read_counts

ROOMS = ("cap", "disclosure", "anonymity", "population", "laws", "peers", "screening")
FIRST = ("o", "s", "tables", "prior")  # the first argument of a measure of counts
MUST = (
    "NAME must be measures separated by commas, each with its options, such as average_cap or 'tcap(variant=matched, tau=0.5)'; got {!r}."
)


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The measures, each under its name as it was given, as text or JSON."""
    from capstats.counting.request import Request
    from capstats.counting.tabulate import counted

    outputs.check_files(settings)
    asked = _asked(settings.get("measures", ""))
    with reading.levels_told(settings, messages):
        given = reading.tables(settings, ("original", "keys", "target"), ("synthetic", "holdout", "example"))
        whole: dict[str, Any] = {"allow_same": False, **given}
        tables = given["original"] if isinstance(given["original"], xr.Dataset) else counted(Request(**whole))
        if population := settings.get("population"):
            population = read_counts(population).o
        results = {name: _measured(call, tables, population) for name, call in asked.items()}
    columns = {"keys": tables.attrs["key_columns"], "target": tables.attrs["target_columns"]}

    def text() -> str:
        read = "\n".join(f"{name}: {value}" for name, value in facts(settings, columns))
        return "\n\n".join([title("measures"), read, *(f"{name}\n{_text(x, columns['target'])}" for name, x in results.items())])

    return outputs.given_out(
        settings, messages, text, lambda: {"measures": {name: _plain(x, columns["target"]) for name, x in results.items()}}, attrs=columns
    )


def functions() -> Iterator[tuple[str, Any]]:
    """The public measures of tables of counts with their names; a room is loaded when those before it are exhausted."""
    for room in ROOMS:
        module = import_module(f"capstats.{room}")
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and next(iter(inspect.signature(function).parameters)) in FIRST:
                yield name, function


def _asked(text: str) -> dict[str, ast.expr]:
    """The calls that a text names, by their own texts."""
    try:
        found = ast.parse(f"({text},)", mode="eval").body
    except (SyntaxError, ValueError):
        found = None
    if not isinstance(found, ast.Tuple) or not found.elts:
        raise ValueError(MUST.format(text))
    return {ast.unparse(call): call for call in found.elts}


def _measured(call: ast.expr, tables: xr.Dataset, population: Any) -> Any:
    """The result of one measure."""
    name, options = _named(call)
    function = next((function for known, function in functions() if known == name), None)
    if function is None:
        raise ValueError(f"there is no measure of counts {name!r}.{hint(name, dict(functions()))}")
    if population is not None and "population" in inspect.signature(function).parameters:
        options["population"] = population
    first, *of_call = inspect.signature(function).parameters.values()
    if first.name in options:
        raise ValueError(f"{first.name} of {name} is the table of counts. Leave out {first.name}=.")
    _check_needed(name, of_call, options)
    return function(tables, **options)


def _check_needed(name: str, parameters: Iterable[inspect.Parameter], options: Mapping[str, Any]) -> None:
    """Raise unless all arguments that have no default are given."""
    if needed := [x.name for x in parameters if x.default is x.empty and x.kind is not x.VAR_KEYWORD and x.name not in options]:
        how = "--population" if needed == ["population"] else f"'{name}({', '.join(f'{x}=...' for x in needed)})'"
        raise ValueError(f"{name} needs {listed(needed)}: give {how}.")


def _named(call: ast.expr) -> tuple[str, dict[str, Any]]:
    """The name of a call, and its options."""
    if isinstance(call, ast.Name):
        return call.id, {}
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args and all(x.arg for x in call.keywords):
        names = [str(x.arg) for x in call.keywords]
        if twice := [x for x in names if names.count(x) > 1]:
            raise ValueError(f"{call.func.id} has {twice[0]}= twice. Give it once.")
        return call.func.id, {str(x.arg): _value(x.value) for x in call.keywords}
    raise ValueError(MUST.format(ast.unparse(call)))


def _value(node: ast.expr) -> Any:
    """The value of an option: a literal, lists or mappings, a text without quotes, or a model of releases such as ``Pram(theta=0.3)``."""
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "laws":
        return _value(ast.Name(node.attr))
    if isinstance(node, ast.Name):
        known = _models() if node.id.istitle() else {"true": True, "false": False, "null": None}
        return known.get(node.id, node.id)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(x) for x in node.elts]
    if isinstance(node, ast.Dict):
        return {_value(key): _value(x) for key, x in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.Call):
        name, options = _named(node)
        models = _models()
        if name not in models:
            raise ValueError(f"there is no model of releases {name!r}.{hint(name, models)}")
        _check_needed(name, inspect.signature(models[name]).parameters.values(), options)
        return models[name](**options)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(MUST.format(ast.unparse(node))) from None


def _models() -> dict[str, Any]:
    """The models of releases by their names."""
    laws = import_module("capstats.laws")
    return {x: of for x in laws.__all__ if isinstance(of := getattr(laws, x), type) and issubclass(of, laws.Model) and of != laws.Model}


def _plain(found: Any, target: list[str]) -> Any:
    """A number, a mapping of numbers, or the columns of a table in long form; the column ``target`` has its own name."""
    if isinstance(found, (xr.DataArray, xr.Dataset)):
        if isinstance(found, xr.Dataset):  # a dim of no entries, as of outliers, would leave no row for all other numbers
            found = found.drop_dims([dim for dim, size in found.sizes.items() if not size])
        if not found.dims:
            return found.item() if isinstance(found, xr.DataArray) else {str(name): x.item() for name, x in found.data_vars.items()}
        table = found if isinstance(found, xr.Dataset) else found.rename(found.name or "value").to_dataset()
        table = table.assign({name: (x.dims, x.data.todense(), x.attrs) for name, x in table.items() if is_sparse(x.data)})
        shown = table.to_dataframe()
        found = shown[[x for x in shown if x not in shown.index.names]].reset_index()
    if isinstance(found, pd.DataFrame):
        frame = found if isinstance(found.index, pd.RangeIndex) else found.reset_index()
        if len(target) == 1 and target[0] not in frame:
            frame = frame.rename(columns={"target": target[0]})
        return {str(name): frame[name].tolist() for name in frame}
    if isinstance(found, dict):
        return {str(name): _plain(x, target) for name, x in found.items()}
    if not isinstance(found, (str, int, float, list, tuple, type(None))):
        raise ValueError(f"{type(found).__name__} is no number and no table. Ask for a measure of it, such as expected_cap of a model.")
    return found


def _text(found: Any, target: list[str]) -> str:
    value = _plain(found, target)
    if not isinstance(value, dict):
        return f"  {value}"
    columns = {name: x for name, x in value.items() if isinstance(x, list)}
    if len(columns) == len(value) and len({len(x) for x in columns.values()}) == 1:
        return str(pd.DataFrame(columns).to_string(index=False))
    return "\n".join(f"  {name}: {x}" for name, x in value.items())
