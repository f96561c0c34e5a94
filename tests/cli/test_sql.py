"""``capstats sql``: the counts that engines find by its statements are those of `tabulate`, bit for bit."""

import datetime as dt
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from command_line import printed, refused
from spark_session import spark_session
from sqlglot import exp
from strategies import seeds

from capstats import read_counts, tabulate
from capstats.cli.sql import Counted, in_dialect
from capstats.codes.bins import check_bins, cut_at_points
from capstats.codes.missing_codes import MissingCodes
from capstats.sources.disk import identifier, quoted

DIALECTS = ["duckdb", "postgres", "sqlite", "spark", "bigquery", "snowflake", "tsql", "oracle", "mysql"]
NAMES = ['na"me of it', "it's", "d.ay", "x", "cut", "moment", "t"]  # of columns
ALIKE = ["a", "A", "a ", " a", "", "é", "e\u0301", "É", "ß", "ss", "NA", "na", "NA "]  # in some collation
TEXTS = [*ALIKE, "q\"uo'te", "x,y", "two\nlines", "-99", "back\\slash", None]
WORDS = ["low", "Low", "HIGH", "high ", "1", "01", None]
DAYS = [dt.date(1900, 1, 1), dt.date(2000, 2, 29), dt.date(2024, 12, 31), None]
DECIMALS = [Decimal("1.50"), Decimal("-99.00"), Decimal("0.10"), Decimal("12345678.25"), Decimal("-99.25"), None]
NUMBERS = [-99.0, 0.1, 0.30000000000000004, 18.0, 18.5, 65.0, 1e9, -1e-9, np.nan, None]
MOMENTS = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1), dt.datetime(2021, 6, 1, 12, 30), None]
VALUES = dict(zip(NAMES, [TEXTS, WORDS, DAYS, DECIMALS, NUMBERS, MOMENTS, TEXTS], strict=True))
TYPES = dict(zip(NAMES, ["text", "text", "date", "number", "number", "datetime", "text"], strict=True))
BINS = {"cut": ["0.1", "0.30000000000000004", "18", "65"], "moment": ["2020-01-01", "2021-01-01"], "d.ay": ["2000-02-29"]}
CODES = {'na"me of it': ["NA", "-99", "é"], "x": ["-99"], "cut": ["-99.0"], "d.ay": ["1900-01-01"], "moment": ["2021-06-01 12:30:00"]}


def case(seed, single=False):
    """Two tables of some of the columns, cut or not, with codes or without; numbers of 32 bits where it says ``single``."""
    rng = np.random.default_rng(seed)
    keys = [str(x) for x in rng.permutation(NAMES[:-1])[: rng.integers(1, 4)]]
    tables = []
    for _ in range(2):
        n = rng.integers(1, 60)
        tables.append({c: [VALUES[c][i] for i in rng.integers(0, len(VALUES[c]), n)] for c in (*keys, "t")})
        if single and "cut" in keys:
            tables[-1]["cut"] = [x if x is None else float(np.float32(x)) for x in tables[-1]["cut"]]
    bins = {c: BINS[c] for c in keys if c in BINS and (c in ("cut", "moment") or rng.random() < 0.5)}
    codes = {c: CODES[c] for c in (*keys, "t") if c in CODES and rng.random() < 0.6} | ({"*": ["HIGH"]} if rng.random() < 0.3 else {})
    return tables, keys, bins, codes


def statement(table, columns, bins, codes, dialect):
    cuts = {c: cut_at_points(spec.points, None, TYPES[c], c) for c, spec in check_bins(bins, columns, TYPES).items()}
    return in_dialect(Counted(table, columns, TYPES, MissingCodes.of_argument(codes), cuts, dialect).sql("records"), dialect), cuts


def answered(file, columns, rows):
    """The answer of an engine as CSV: NULL is an empty field."""
    cell = lambda x: "" if x is None else '"' + str(x).replace('"', '""') + '"'  # noqa: E731
    lines = [",".join(map(cell, row)) for row in [[*columns, "records"], *rows]]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")


def alike(found, expected):
    """Counts, and labels with their types."""
    for dim in ("key", "target"):
        mine, other = (pd.MultiIndex.from_frame(x.indexes[dim].to_frame()) for x in (found, expected))
        assert mine.names == other.names
        assert [[(type(x), x) for x in row] for row in mine] == [[(type(x), x) for x in row] for row in other]
    for name in "os":
        assert np.array_equal(found[name].values, expected[name].values)
        assert found[name].dtype == expected[name].dtype


def compared(folder, seed, dialect, ask, create, of_ibis=None):
    """The answers of an engine, as files that are counted, and its tables in Ibis, beside the records in memory."""
    tables, keys, bins, codes = case(seed, single=dialect != "sqlite")
    columns = [*keys, "t"]
    for i, table in enumerate(tables):
        create(f"table {i}", table)
        text, cuts = statement(f"table {i}", columns, bins, codes, dialect)
        ask(text, columns, folder / f"{i}.csv")
    types = TYPES | {c: cut.labels for c, cut in cuts.items()}
    used = {c: types[c] for c in columns}
    found = tabulate(str(folder / "0.csv"), str(folder / "1.csv"), keys=keys, target="t", types=used, counts="records")
    frames = [{c: np.array(x, object) if c != "cut" else pd.Series(x, dtype=float) for c, x in table.items()} for table in tables]
    of_all = {"null_values": codes, "allow_unused_codes": True} if codes else {}
    declared = {c: TYPES[c] for c in columns}
    expected = tabulate(*frames, keys=keys, target="t", types=declared, bins=bins, **of_all)
    alike(found, expected)
    if of_ibis:
        alike(tabulate(of_ibis("table 0"), of_ibis("table 1"), keys=keys, target="t", types=declared, bins=bins, **of_all), expected)


SQL_TYPES = ["VARCHAR COLLATE NOCASE", "VARCHAR", "DATE", "DECIMAL(12, 2)", "FLOAT", "TIMESTAMP", "VARCHAR COLLATE NOCASE.NOACCENT"]


def of_duckdb(folder, seeds):
    with duckdb.connect() as connection:

        def create(name, table):
            kinds = dict(zip(NAMES, SQL_TYPES, strict=True))
            names = ", ".join(f"{identifier(c)} {kinds[c]}" for c in table)
            connection.execute(f"CREATE OR REPLACE TABLE {identifier(name)} ({names})")
            rows = list(zip(*table.values(), strict=True))
            places = ", ".join([f"({', '.join('?' * len(table))})"] * len(rows))
            connection.execute(f"INSERT INTO {identifier(name)} VALUES {places}", [x for row in rows for x in row])

        def ask(text, columns, file):
            connection.execute(f"COPY ({text}) TO {quoted(str(file))} (FORMAT csv, HEADER)")

        for seed in seeds:
            compared(folder, seed, "duckdb", ask, create)


def of_sqlite(folder, seeds):
    connection = sqlite3.connect(":memory:")

    def create(name, table):
        kinds = ["TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "TEXT", "REAL", "REAL", "TEXT", "TEXT COLLATE NOCASE"]
        names = ", ".join(f"{identifier(c)} {dict(zip(NAMES, kinds, strict=True))[c]}" for c in table)
        connection.execute(f"DROP TABLE IF EXISTS {identifier(name)}")
        connection.execute(f"CREATE TABLE {identifier(name)} ({names})")
        stored = {Decimal: float, dt.date: str, dt.datetime: str}
        rows = [[stored.get(type(x), lambda x: x)(x) for x in row] for row in zip(*table.values(), strict=True)]
        connection.executemany(f"INSERT INTO {identifier(name)} VALUES ({', '.join('?' * len(table))})", rows)

    def ask(text, columns, file):
        answered(file, columns, connection.execute(text).fetchall())

    for seed in seeds:
        compared(folder, seed, "sqlite", ask, create)
    connection.close()


def of_postgres(folder, seeds):
    """By a server of its own, which listens on a socket in a folder."""
    programs = Path(POSTGRES).resolve().parent
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as place:
        shutil.chown(place, "postgres" if user else os.geteuid())
        data = f"{place}/data"
        started = {"check": True, "capture_output": True, "cwd": place}
        subprocess.run([*user, programs / "initdb", "-D", data, "-U", "us", "-A", "trust", "-E", "UTF8", "--no-locale"], **started)
        options = f"-c listen_addresses= -k {place}"
        subprocess.run([*user, programs / "pg_ctl", "-D", data, "-o", options, "-w", "-l", f"{place}/log", "start"], **started)
        try:
            both = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
            talk = subprocess.Popen(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", place, "-U", "us", "postgres"], **both)

            def say(*lines):
                talk.stdin.write("\n".join([*lines, "\\echo done", ""]))
                talk.stdin.flush()
                said = []
                while (line := talk.stdout.readline()) != "done\n":
                    assert line, said  # it has ended, after an error
                    said.append(line)
                return "".join(said)

            nocase = "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level1', deterministic = false);"
            assert say("SET client_encoding = 'UTF8';", "SET client_min_messages = warning;", nocase) == ""
            kinds = ["TEXT COLLATE nocase", "VARCHAR(20)", "DATE", "NUMERIC(12, 2)", "REAL", "TIMESTAMP", "TEXT COLLATE nocase"]

            def create(name, table):
                names = ", ".join(f"{identifier(c)} {dict(zip(NAMES, kinds, strict=True))[c]}" for c in table)
                cell = lambda x: "NULL" if x is None else quoted(str(x))  # noqa: E731
                rows = ", ".join(f"({', '.join(map(cell, row))})" for row in zip(*table.values(), strict=True))
                made = [f"DROP TABLE IF EXISTS {identifier(name)};", f"CREATE TABLE {identifier(name)} ({names});"]
                assert say(*made, f"INSERT INTO {identifier(name)} VALUES {rows};") == ""

            def ask(text, columns, file):
                file.write_text(say(f"COPY ({text}) TO STDOUT (FORMAT csv, HEADER);"), encoding="utf-8", newline="")

            ibis = pytest.importorskip("ibis")
            connected = ibis.postgres.connect(host=place, user="us", database="postgres")
            for seed in seeds:
                compared(folder, seed, "postgres", ask, create, connected.table if seed % 12 == 0 else None)
            connected.disconnect()
            talk.communicate("\\q\n", timeout=60)
        finally:
            subprocess.run([*user, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **started)


def of_spark(folder, seeds):
    session = spark_session()

    def create(name, table):
        kinds = dict(zip(NAMES, ["STRING", "STRING", "DATE", "DECIMAL(12, 2)", "FLOAT", "TIMESTAMP", "STRING"], strict=True))
        schema = ", ".join(f"`{c}` {kinds[c]}" for c in table)
        session.createDataFrame(list(zip(*table.values(), strict=True)), schema).createOrReplaceTempView(f"`{name}`")

    def ask(text, columns, file):
        answered(file, columns, [tuple(row) for row in session.sql(text).collect()])

    for seed in seeds:
        compared(folder, seed, "spark", ask, create)


POSTGRES = shutil.which(
    "postgres", path=os.pathsep.join([os.environ.get("PATH", ""), *map(str, Path("/usr/lib/postgresql").glob("*/bin"))])
)
ENGINES = {"duckdb": of_duckdb, "sqlite": of_sqlite}
same = pytest.mark.filterwarnings("ignore::UserWarning")  # of levels, and of codes


@same
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", seeds(500)[::10])
def test_the_answers_are_the_counts_of_tabulate(engine, first, tmp_path):
    ENGINES[engine](tmp_path, range(first, first + 10))


@same
@pytest.mark.postgres
@pytest.mark.skipif(not (POSTGRES or os.environ.get("REQUIRE_ALL")), reason="PostgreSQL is not installed")
def test_those_of_postgres_too(tmp_path):
    of_postgres(tmp_path, seeds(500))


@same
@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_those_of_spark_too(tmp_path):
    of_spark(tmp_path, seeds(16))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_dialect_reads_its_statement_and_groups_by_no_ordinal(dialect):
    columns = [c for c in NAMES if dialect != "bigquery" or "." not in c]  # its names have no dot
    bins, schema = {c: x for c, x in BINS.items() if c in columns}, "sche ma" if dialect == "bigquery" else '"sche.ma"'
    text = statement(schema + '."ta""ble"', columns, bins, CODES, dialect)[0]
    tree = sqlglot.parse_one(text, read=dialect)
    grouped = tree.args["group"].expressions
    assert all(isinstance(x, exp.Column) and x.this.args["quoted"] for x in grouped)
    assert [x.name for x in grouped[: len(columns)]] == columns == [x.output_name for x in tree.expressions[:-1]]
    (inner,) = tree.find_all(exp.Subquery)
    of_text = [c for c in columns if TYPES[c] == "text"]
    assert [x.output_name for x in inner.this.expressions] == [x.name for x in grouped]
    assert len(grouped) == len(columns) + len(of_text)
    table = inner.this.find(exp.Table)
    assert (table.db, table.name) == (schema.strip('"'), 'ta"ble')
    assert tree.sql(dialect=dialect, pretty=True) == text


def test_oracle_and_sql_server_have_their_own_forms():
    columns = [c for c in NAMES if "'" not in c]
    oracle, tsql = (statement("t", columns, BINS, {**CODES, "t": ["", "NA"]}, dialect)[0] for dialect in ("oracle", "tsql"))
    assert "TO_DATE('1900-01-01', 'YYYY-MM-DD')" in oracle
    assert ") AS " not in oracle.partition("FROM (")[2].rpartition(")")[2]  # no AS before the name of a table
    assert "N'NA'" in tsql
    assert re.search(r"[^N]'", re.sub(r"N'[^']*'", "", tsql)) is None
    assert "nan" not in tsql


def test_from_the_statements_to_the_counts(tmp_path, monkeypatch, capsys):
    """The printed statements are run as they are, and so is the printed command."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    draws = {"age": lambda: rng.integers(0, 90, 80), "sex": lambda: rng.choice([*"fm"], 80), "income": lambda: rng.choice([1, 2, -99], 80)}
    tables = {name: pd.DataFrame({c: draw() for c, draw in draws.items()}) for name in ("people", "release", "others")}
    how = ["--keys", "age,sex", "--target", "income", "--bin", "age=18|65", "--null-values", "income=-99", "--types", "income=number"]
    text = printed(capsys, "sql", "s.people", "s.release", "--holdout", "s.others", *how)
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA s")
        for name, frame in tables.items():
            connection.register("frame", frame.astype({"sex": object}))
            connection.execute(f"CREATE TABLE s.{name} AS FROM frame")
        for name, asked in re.findall(r"^-- (\w+)\.csv: .*\n([^;]*);", text, re.MULTILINE):
            connection.execute(f"COPY ({asked}) TO '{name}.csv' (FORMAT csv)")
    last = text[text.index("-- capstats count") :].replace("-- ", "").replace("\\\n", "")
    printed(capsys, *shlex.split(last)[1:])
    found = read_counts("counts.parquet")
    given = {"bins": {"age": [18, 65]}, "null_values": {"income": -99}}
    expected = tabulate(tables["people"], tables["release"], holdout=tables["others"], keys=["age", "sex"], target="income", **given)
    alike(found, expected)
    assert np.array_equal(found.h, expected.h)


def test_it_says_what_it_cannot_do(monkeypatch, capsys):
    given = ["sql", "people", "--keys", "age", "--target", "income"]
    assert "give --keys and --target" in refused(capsys, "sql", "people")
    assert "--bin of 'age' must be cut points" in refused(capsys, *given, "--bin", "age=5")
    assert "Say --type of this column" in refused(capsys, *given, "--null-values", "income=-99")
    assert "'' is NULL" in printed(capsys, *given, "--dialect", "oracle")
    assert '"records of them"' in printed(capsys, "sql", "people", "--keys", "records", "--target", "t")
    hostile = printed(capsys, "sql", "x\nDROP TABLE y", "--keys", "a\nb", "--target", "t")
    assert "\nDROP" not in hostile.replace('"x\nDROP TABLE y"', "")
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    assert 'Install it: pip install "capstats[sql]"' in refused(capsys, *given)
