"""Check the record of an audit against its counts, without capstats: plain Python, its standard library alone, exact fractions.

    capstats count ORIGINAL RELEASE ... --keys ... --target ... --out counts.csv
    capstats audit ORIGINAL RELEASE ... --keys ... --target ... --json > report.json
    python check_record.py counts.csv report.json

It recomputes every number of the record that is a function of the counts and that an hour's reading can follow, compares it with what the
record says, and lists what it does not recompute. The exit status is 0 where all agree, and 1 where something differs.
It compares each unmatched key with all keys of the release: a thousand keys take a second, a hundred thousand hours.

How to read it: `o` are the counts of the original, `s` those of a release. Both are mappings {key: {target: count}} without empty cells. A
key is a combination of values of the key columns, which an intruder knows of a person; a target is what the intruder wants to know.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import sys
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import comb, isqrt
from pathlib import Path

MARK = "# capstats counts "  # with which the comment of a file of counts begins
TIE = Fraction(1, 10**12)  # numbers that are nearer than this, relatively, are equal: weights and their sums are rounded
UNTOLD = "could not be told"  # the verdict on a limit of an undefined number
HALF, NINE = Fraction(1, 2), Fraction(9, 10)  # the shares above which people are said to be guessed right
QUANTILES = {"least": "0", "lower_quartile": "0.25", "median": "0.5", "upper_quartile": "0.75"}  # of CAP over people
QUANTILES |= {"upper_decile": "0.9", "upper_percentile": "0.99", "greatest": "1"}


def read_counts(path):
    """The tables of a file of counts in CSV by name and label of the release, the number of key columns, and the SHA-256 of the rows."""
    comment, *lines = Path(path).read_bytes().splitlines(keepends=True)
    if not comment.startswith(MARK.encode()):
        raise SystemExit(f"{path} is no file of counts in CSV.")
    about = json.loads(comment.decode()[len(MARK) :])  # which columns are keys, which are targets, and which are counts
    k, t = len(about["key"]), len(about["target"])
    names = []
    for table in about["variables"]:
        labels = [about["coords"].get(dim, range(n)) for dim, n in zip(table["dims"], table["shape"], strict=True)]
        names += [(table["name"], str(label[0]) if label else None) for label in product(*labels)]
    tables = {name: defaultdict(dict) for name in names}
    for row in list(csv.reader(line.decode() for line in lines))[1:]:
        for name, text in zip(names, row[k + t :], strict=True):
            if Fraction(text):
                tables[name][tuple(row[:k])][tuple(row[k : k + t])] = Fraction(text)
    return tables, k, hashlib.sha256(b"".join(sorted(lines))).hexdigest()


def total(table):
    """The number of records of a table: the sum of all counts."""
    return sum(sum(row.values()) for row in table.values())


def with_columns(table, columns):
    """The table by some of its key columns: rows whose keys agree in them are added up."""
    found = defaultdict(lambda: defaultdict(Fraction))
    for key, row in table.items():
        for target, n in row.items():
            found[tuple(key[c] for c in columns)][target] += n
    return found


def by_target(table):
    """The number of records with each target, whatever their key."""
    return with_columns(table, ())[()]


def above(x, y):
    """Whether x > y, and not only by rounding."""
    return x - y > TIE * max(abs(x), abs(y))


def share(part, whole):
    """Part / whole; None, which is null in the record, where whole is 0."""
    return Fraction(part) / Fraction(whole) if whole else None


def rows_used(people, s, unmatched):
    """The synthetic row that an intruder uses for each key of some people: {key: {target: count}}.

    It is the row with the same key. Where the release has none, "zero" uses no row, and "nearest" the sum of the rows whose keys differ
    from this one in the fewest columns.
    """
    found = {}
    for key in people:
        found[key] = s.get(key, {})
        if not found[key] and unmatched == "nearest" and s:
            apart = {other: sum(a != b for a, b in zip(key, other, strict=True)) for other in s}
            least = min(apart.values())
            found[key] = by_target({other: s[other] for other, distance in apart.items() if distance == least})
    return found


def cap(row, target):
    """CAP of one person: the share of the records in the row that have the person's target; 0 where the row is empty."""
    return row.get(target, Fraction(0)) / sum(row.values()) if row else Fraction(0)


def average_cap(people, rows):
    """The mean of CAP over people: the sum of o_ij s_ij / s_.j, over n."""
    return share(sum(n * cap(rows[key], target) for key, row in people.items() for target, n in row.items()), total(people))


def average_of(people, s, unmatched):
    """Average CAP of people, guessed from a release; nothing is guessed from a release without records."""
    return average_cap(people, rows_used(people, s, unmatched)) if s or unmatched == "zero" else None


def modal_hits(people, rows):
    """How many people have the commonest target of the row that is used for them; where several tie, each is named equally often."""
    found = Fraction(0)
    for key, row in people.items():
        if rows[key]:
            best = [target for target, n in rows[key].items() if not above(max(rows[key].values()), n)]
            found += sum((row.get(target, 0) for target in best), Fraction(0)) / len(best)
    return found


def certain(people, s):
    """How many people have a key whose synthetic records all have one target; those of whom it is the right one; both by key."""
    pure = {key: next(iter(row)) for key, row in s.items() if len(row) == 1}
    sure = {key: row for key, row in people.items() if key in pure}
    return sure, {key: {target: n for target, n in row.items() if target == pure[key]} for key, row in sure.items()}


def quantile(caps, p):
    """The quantile of sorted values of CAP, each with its number of people, interpolated between two people (Hyndman and Fan, 7)."""
    position = (sum(n for _, n in caps) - 1) * Fraction(p)
    below, passed, values = position // 1, 0, []
    for value, n in caps:
        values += [value for place in (below, below + 1) if passed <= place < passed + n]
        passed += n
    a, b = values[0], values[-1]
    return a + (b - a) * (position - below)


def measures(of, unmatched):
    """The numbers of one release, by their names in the record; ``of`` are the tables by name."""
    o, s, h = of["o"], of["s"], of.get("h")
    people = of.get("o_records", o)  # numbers of people count each record once; shares and averages weigh it
    whole = not any(n % 1 for table in (o, s) for row in table.values() for n in row.values()) and not {"o_records", "s_records"} & set(of)
    n, rows, found = total(o), rows_used(o, s, unmatched), {}
    for name, table in (("original", "o"), ("synthetic", "s"), ("holdout", "h")):
        if table in of:
            found[f"{name}_records"] = total(of.get(f"{table}_records", of[table]))
            found |= {f"{name}_weight": total(of[table])} if f"{table}_records" in of else {}
    found["keys"] = len(o)
    # average CAP: unmatched people count 0 (version 1), are left out (version 2), or use the nearest keys
    matched = {key: row for key, row in o.items() if key in s}
    found["matched_share"] = share(total(matched), n)
    found["unmatched_records"] = total({key: row for key, row in people.items() if key not in s})
    found["average_cap_zero"] = average_cap(o, rows_used(o, s, "zero"))
    found["average_cap_matched"] = average_cap(matched, s)
    average = found[f"average_cap_{unmatched}"] = average_of(o, s, unmatched)
    # what it is compared with: guesses from the frequencies of the target, and the original itself
    baseline = found["baseline"] = share(sum(x * x for x in by_target(o).values()), n * n)
    original = found["original_cap"] = average_cap(o, o)
    scaled = average is not None and above(original, baseline)
    found["normalized_cap"] = (average - baseline) / (original - baseline) if scaled else None
    # the other guesser always names the commonest target
    found[f"correct_predictions_{unmatched}"] = modal_hits(people, rows)
    found[f"predictive_success_{unmatched}"] = share(modal_hits(o, rows), n)
    found["baseline_predictive_success"] = share(max(by_target(o).values()), n)
    found["original_predictive_success"] = share(modal_hits(o, o), n)
    # how surely people are guessed right
    for name, at in (("above_half", HALF), ("above_nine_tenths", NINE)):
        hit = [{key: {i: x for i, x in row.items() if above(cap(rows[key], i), at)} for key, row in of.items()} for of in (people, o)]
        found |= {f"records_{name}": total(hit[0]), f"share_{name}": share(total(hit[1]), n)}
    sure, right = certain(o, s)
    found["records_certain"] = total(certain(people, s)[1])
    found["share_certain"] = share(total(right), n)
    found["share_certain_wrong"] = share(total(sure) - total(right), n)
    found["original_certain"] = share(total(certain(o, o)[1]), n)
    # k-anonymity and distinct l-diversity of the original: the fewest records, and the fewest targets, that share a key
    found["original_k"] = min(sum(row.values()) for row in people.values())
    found["original_l"] = min(len(row) for row in o.values())
    if whole:
        unique = [key for key, row in o.items() if sum(row.values()) == 1]
        found["share_unique"] = share(len(unique), n)
        found["share_replicated"] = share(sum(sum(s.get(key, {}).values()) == 1 for key in unique), n)
        # the standard error of a mean of n values of CAP
        caps = sorted((cap(rows[key], i), x) for key, row in o.items() for i, x in row.items())
        spread = None if average is None or n == 1 else sum(x * (value - average) ** 2 for value, x in caps) / (n * (n - 1))
        found[f"average_cap_{unmatched}_error"] = None if spread is None else Fraction(isqrt(int(spread * 10**60)), 10**30)  # the root
        found |= {f"individual_cap_{name}": quantile(caps, p) for name, p in QUANTILES.items()}
    # distance of the targets of each key from those of the original, half the sum of |differences|; 1 where the key is unmatched
    apart = Fraction(0)
    for key, row in o.items():
        apart += sum(row.values()) * (sum(abs(cap(row, i) - cap(s[key], i)) for i in {*row, *s[key]}) / 2 if key in s else 1)
    found["target_distance"] = share(apart, n)
    # the least and the greatest average that any release can have, on the targets and keys of original and release
    targets = by_target(o)
    least = {key: min(row.values()) if len(row) == len(targets) else Fraction(0) for key, row in o.items()}
    new_targets = by_target(s).keys() - targets.keys()
    found["average_cap_zero_least"] = 0 if new_targets or s.keys() - o.keys() else share(min(least.values()), n)
    found["average_cap_zero_greatest"] = share(sum(max(row.values()) for row in o.values()), n)
    found["average_cap_matched_least"] = 0 if new_targets else min(least[key] / sum(row.values()) for key, row in o.items())
    found["average_cap_matched_greatest"] = max(max(row.values()) / sum(row.values()) for row in o.values())
    if h is not None and average is not None:  # people who were not used for the release
        found["holdout_cap"] = average_of(h, s, unmatched)
        found["individual_disclosure"] = average - found["holdout_cap"]
    return found


def of_levels(of, unmatched):
    """The numbers of the people with each level of the target."""
    o, s, people = of["o"], of["s"], of.get("o_records", of["o"])
    rows, found = rows_used(o, s, unmatched), {}
    for level, n in by_target(o).items():
        one, counted = ({key: {level: row[level]} for key, row in table.items() if level in row} for table in (o, people))
        over = {at: total({key: row for key, row in counted.items() if above(cap(rows[key], level), at)}) for at in (HALF, NINE)}
        found[level] = {
            f"average_cap_{unmatched}": average_cap(one, rows) if s or unmatched == "zero" else None,
            "baseline": n / total(o),
            "records": total(counted),
            "records_above_half": over[HALF],
            "records_above_nine_tenths": over[NINE],
            "records_certain": total(certain(counted, s)[1]),
        }
    return found


def of_columns(o, s, unmatched, k, *, every):
    """Average CAP of an intruder who knows some of the k key columns, and what each of them adds; Shapley values need ``every`` subset."""
    everything = tuple(range(k))
    sizes = range(k + 1) if every else {1, k - 1, k}
    value = {c: average_of(with_columns(o, c), with_columns(s, c), unmatched) for size in sizes for c in combinations(everything, size)}
    found = []
    for c in everything:
        rest = tuple(x for x in everything if x != c)
        row = {"alone": value[(c,)], "without": value[rest], "leave_one_out": value[everything] - value[rest]}
        if every:  # the mean of what the column adds to the others that are known, over all orders in which they become known
            adds = [(size, value[tuple(sorted((*x, c)))] - value[x]) for size in range(k) for x in combinations(rest, size)]
            row["shapley"] = sum(x / comb(k - 1, size) for size, x in adds) / k
        found.append(row)
    return found


def check(counts, text):
    """What differs between a record and counts, the names of the numbers that were recomputed, and of those that were not."""
    record, (tables, k, rows_sha256) = json.loads(text), counts
    differs, done, left = [], [], []
    blank = re.sub(r'"digest": "[0-9a-f]*"(?=\s*\}\s*\Z)', '"digest": ""', text.replace("\r\n", "\n").removesuffix("\n"))
    if hashlib.sha256(f"{blank}\n".encode()).hexdigest() != record["digest"]:
        differs.append("the digest is not that of the text: the record was changed after it was written")
    if record["counts"]["sha256"] != rows_sha256:
        differs.append("the counts are not those of the record: their SHA-256 is another one")

    def compare(said, of_all, where=""):
        """Compare numbers, each of which may be one for each release, with what they are by the counts of the releases."""
        for name, old in said.items():
            if any(name not in of for of in of_all.values()):
                left.append(f"{where}{name}")
                continue
            done.append(f"{where}{name}")
            for label, of in of_all.items():
                x, told = None if of[name] is None else float(of[name]), old.get(label) if isinstance(old, dict) else old
                if x != told and (x is None or told is None or abs(told - x) > 1e-9 * max(1.0, abs(x))):
                    differs.append(f"{where}{name} of {label or 'the release'} is {told} in the record, and {x} by the counts")

    unmatched, against = record["provenance"]["unmatched"], record["provenance"].get("against")
    labels = [label for name, label in tables if name == "s"]  # None where there is one release
    releases = {label: {name: table for (name, of), table in tables.items() if of in (None, label)} for label in labels}
    of_all = {label: measures(of, unmatched) for label, of in releases.items()}
    if against is not None:  # a release with which the others are compared
        other = of_all[str(against)][f"average_cap_{unmatched}"]
        of_all = {label: {**x, "difference": x[f"average_cap_{unmatched}"] - other} for label, x in of_all.items()}
    compare(record["measures"], of_all)
    levels = {label: of_levels(of, unmatched) for label, of in releases.items()}
    for row in record["by_target"]:
        level = tuple("" if x is None else str(x) for x in row.pop("level").values())  # as CSV has them
        compare(row, {label: x.get(level, {}) for label, x in levels.items()}, f"{', '.join(level)}: ")
    every = any("shapley" in row for row in record["by_column"])
    columns = {label: of_columns(of["o"], of["s"], unmatched, k, every=every) for label, of in releases.items()}
    for c, row in enumerate(record["by_column"]):
        compare(row, {label: x[c] for label, x in columns.items()}, f"{row.pop('column')}: ")
    for limit in record["limits"]:  # the verdicts follow from the numbers
        value = record["measures"].get(limit["measure"])
        value = value.get(str(limit["of"][0])) if isinstance(value, dict) else value
        kept = UNTOLD if limit["verdict"] == UNTOLD and record["provenance"].get("mismatched") else "kept"  # levels do not match
        verdict = UNTOLD if value is None else "broken" if above(value, limit["limit"]) else kept
        if (value, verdict) != (limit["value"], limit["verdict"]):
            differs.append(f"the limit of {limit['measure']} is said to be {limit['verdict']}, and is {verdict}: {value}")
    verdicts = [x for x in ("broken", UNTOLD, "kept") if x in {limit["verdict"] for limit in record["limits"]}]  # the first is on all
    if record["verdict"] != (verdicts[0] if verdicts else None):
        differs.append(f"the verdict is said to be {record['verdict']}, and the limits say otherwise")
    return differs, done, left


if __name__ == "__main__":
    differs, done, left = check(read_counts(sys.argv[1]), Path(sys.argv[2]).read_bytes().decode())
    print(f"{len(done)} numbers recomputed. Not recomputed: {', '.join(left) or 'none'}.")
    print("\n".join(f"DIFFERS: {line}" for line in differs) or "All of them agree, and the counts are those of the record.")
    sys.exit(bool(differs))
