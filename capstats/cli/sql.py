"""``capstats sql``: the GROUP BY of each table, as SQL that is run where the records are, so that only counts leave it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capstats.cli.options import HELD, OPTIONS, Settings
from capstats.codes.bins import Cut, check_bins, cut_at_points, point_label
from capstats.codes.by_table import of_table
from capstats.codes.missing_codes import MissingCodes
from capstats.codes.names import listed, printable
from capstats.reports.repeating import command
from capstats.sources.disk import identifier, quoted

ANY = ""  # the dialects without a form of their own
# what dialects write differently of x: its bytes, which differ also where a collation takes texts for equal; a date; a moment; not a number
FORMS: dict[str, dict[str, str]] = {
    "BYTES_OF": {
        "duckdb": "ENCODE(CAST(x AS VARCHAR))",
        "postgres": "CONVERT_TO(CAST(x AS TEXT), 'UTF8')",
        "sqlite": "CAST(x AS BLOB)",
        "spark": "CAST(CAST(x AS STRING) AS BINARY)",
        "bigquery": "CAST(CAST(x AS STRING) AS BYTES)",
        "snowflake": "TO_BINARY(CAST(x AS VARCHAR), 'UTF-8')",
        "tsql": "CAST(CAST(x AS NVARCHAR(MAX)) AS VARBINARY(MAX))",
        "oracle": "NLSSORT(TO_CHAR(x), 'NLS_SORT=BINARY')",
        "mysql": "CAST(CONVERT(x USING utf8mb4) AS BINARY)",
    },
    "DATE_OF": {ANY: "CAST(x AS DATE)", "oracle": "TO_DATE(x, 'YYYY-MM-DD')", "sqlite": "x"},
    "MOMENT_OF": {ANY: "CAST(x AS TIMESTAMP)", "oracle": "TO_TIMESTAMP(x, 'YYYY-MM-DD HH24:MI:SS.FF')", "sqlite": "x"},
    "NAN_IN": {ANY: "LOWER(CAST(x AS VARCHAR)) = 'nan'", "oracle": "LOWER(TO_CHAR(x)) = 'nan'"},
}
WITHOUT_NAN = ("sqlite", "tsql", "mysql")
TEXTS: dict[str, str] = HELD["sql"]


@dataclass
class Counted:
    """The columns of one table: how each is written in SQL; ``types`` are those that they have in the database."""

    table: str
    columns: Sequence[str]
    types: Mapping[Any, Any]
    codes: MissingCodes
    cuts: Mapping[Any, Cut]
    dialect: str

    def kind(self, column: str) -> str | None:
        """The type of a column, as far as it is said; a list of levels is one of texts."""
        declared = self.cuts[column].kind if column in self.cuts else self.types.get(column)
        return declared if isinstance(declared, str) or declared is None else "text"

    def _missing(self, column: str, x: str) -> Iterator[str]:
        """The conditions under which a value is missing, besides NULL."""
        codes, kind = self.codes.of(column), self.kind(column)
        if codes.given and kind is None:
            raise ValueError(TEXTS["needs_type"].format(column=column))
        if kind == "number" and self.dialect not in WITHOUT_NAN:
            yield f"NAN_IN({x})"
        for code in codes.places.get(kind, ()) if kind else ():  # type: ignore[call-overload]
            yield f"BYTES_OF({x}) = BYTES_OF({quoted(code)})" if kind == "text" else self._compared(x, "=", code, kind)

    def _compared(self, x: str, sign: str, label: Any, kind: str | None) -> str:
        """The comparison of a column with a label that is no text; with a fraction as 64-bit floats, as capstats compares them."""
        if kind == "number":
            return f"{x} {sign} {label if isinstance(label, int) else f'CAST({label!r} AS DOUBLE)'}"
        return f"{x} {sign} {'DATE' if kind == 'date' else 'MOMENT'}_OF({quoted(str(label))})"

    def value(self, column: str) -> str:
        """What is counted: the value, NULL where it is a code; or the name of its bin."""
        x, cut = identifier(column), self.cuts.get(column)
        cases, other = [f"WHEN {condition} THEN NULL" for condition in self._missing(column, x)], x
        if cut is not None:
            points = cut.points if cut.kind == "number" else [point_label(point, cut.kind) for point in cut.points]
            below = [f"WHEN {self._compared(x, '<=', p, cut.kind)} THEN {quoted(of)}" for p, of in zip(points, cut.labels, strict=False)]
            cases, other = [f"WHEN {x} IS NULL THEN NULL", *cases, *below], quoted(cut.labels[-1])
        return f"CASE {' '.join(cases)} ELSE {other} END" if cases else x

    def sql(self, count: str) -> str:
        """The statement; texts are grouped by their bytes as well, since to group more finely than necessary changes no count."""
        parts = re.findall(r'(?:^|(?<=\.))(?:"(?:[^"]|"")+"|[^.]+)', self.table)
        source = ".".join(part if part.startswith('"') else identifier(part) for part in parts)
        names, values = list(map(identifier, self.columns)), [f"{self.value(c)} AS {identifier(c)}" for c in self.columns]
        texts = [c for c in self.columns if c not in self.cuts and self.kind(c) in (None, "text")]
        more = [identifier(f"bytes of text {i}") for i in range(len(texts))]
        values += [f"BYTES_OF({self.value(c)}) AS {name}" for c, name in zip(texts, more, strict=True)]
        inner = f"SELECT {', '.join(values)} FROM {source}"
        return f"SELECT {', '.join(names)}, COUNT(*) AS {identifier(count)} FROM ({inner}) AS t GROUP BY {', '.join([*names, *more])}"


def in_dialect(text: str, dialect: str) -> str:
    """A statement of DuckDB's SQL in another dialect."""
    from sqlglot import exp, parse_one

    def written(node: Any) -> Any:
        if isinstance(node, exp.Anonymous) and node.name in FORMS:
            x, forms = node.expressions[0].transform(written), FORMS[node.name]
            form = parse_one(forms[dialect], read=dialect) if dialect in forms else parse_one(forms[ANY])
            return form.transform(lambda part: x.copy() if isinstance(part, exp.Column) and part.name == "x" else part)
        is_text = dialect == "tsql" and isinstance(node, exp.Literal) and node.is_string
        return exp.National(this=node.this) if is_text else node  # else it has the letters of a code page

    return str(parse_one(text, read="duckdb").transform(written).sql(dialect=dialect, pretty=True))


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:  # noqa: ARG001
    """A statement for each table, and the command that counts their answers."""
    try:
        import sqlglot  # noqa: F401
    except ImportError as error:
        raise ImportError('capstats sql needs sqlglot. Install it: pip install "capstats[sql]".') from error
    if lacking := [OPTIONS[key].shown for key in ("original", "keys", "target") if not settings.get(key)]:
        raise ValueError(f"give {listed(lacking)}.")
    columns, dialect = [*settings["keys"], *settings["target"]], settings.get("dialect", "duckdb")
    count = next(name for name in ("records", "records of them", "number of records") if name not in columns)
    tables = {"original": settings["original"]} | {f"release{i or ''}": x for i, x in enumerate(settings.get("synthetic", []))}
    tables |= {"holdout": settings["holdout"]} if "holdout" in settings else {}
    types = of_table("types", settings.get("types"), "original") or {}
    cuts = {}
    for column, spec in check_bins(settings.get("bins", {}), columns, types).items():
        if spec.how != "points":
            raise ValueError(TEXTS["needs_points"].format(column=column))
        cuts[column] = cut_at_points(spec.points, None, types.get(column, "number"), column)
    lines = [f"-- {line.format(dialect=dialect)}" for name in ("all", dialect) for line in TEXTS.get(name, "").splitlines()]
    for name, table in tables.items():
        table_name = "synthetic" if name.startswith("release") else name
        own = MissingCodes.of_argument(of_table("null_values", settings.get("null-values"), table_name))
        of = Counted(table, columns, of_table("types", settings.get("types"), table_name) or {}, own, cuts, dialect)
        lines += ["", f"-- {name}.csv: {printable(table)}", f"{in_dialect(of.sql(count), dialect)};"]
    read = {"keys": settings["keys"], "target": settings["target"], "types": types | {c: cut.labels for c, cut in cuts.items()}}
    files = [f"{name}.csv" for name in tables if name != "holdout"]
    more = [*(["--holdout holdout.csv"] if "holdout" in tables else []), "--out counts.parquet"]
    again = command("count", files, {k: v for k, v in read.items() if v} | {"counts": count}, more)
    return "\n".join([*lines, "", *(f"-- {line}" for line in [TEXTS["next"], *again.splitlines()])]), 0
