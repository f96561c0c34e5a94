"""One call that says how much synthetic tables tell about the people in the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Unpack, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.beside import BELOW_1, holdout_differs, register
from capstats.auditing.compute import Asked, by_column, measured
from capstats.auditing.findings import Findings, Limit, check_comparison, check_limits, order_of, with_utility
from capstats.auditing.front import front
from capstats.auditing.ledger import published
from capstats.auditing.measures import BY_COLUMN, MEASURES
from capstats.auditing.publication import public_page
from capstats.auditing.record import FRACTIONAL, conventions, description, files_seen, meanings, recorded, today, warnings_of
from capstats.auditing.sections import internal_page, text_sections
from capstats.codes.by_table import of_arguments
from capstats.codes.checks import check_choice
from capstats.codes.labels import in_json
from capstats.codes.progress import Progress
from capstats.counting.copies import COLUMNS
from capstats.counting.reading import released
from capstats.counting.request import Columns, Reading, Request, chosen_columns, shows_options
from capstats.counting.same import check_counts
from capstats.counting.tabulate import counted, original_and_release
from capstats.disclosure.published import more_columns, opened
from capstats.reports.blocks import Sections
from capstats.reports.repeating import settings_of
from capstats.sources.disk import check_unread, write_file
from capstats.tables.aligned import total_of
from capstats.tables.counts_files import digest_of_rows
from capstats.tables.dataset import as_tables, synthetic_labels
from capstats.tables.levels import mismatched


@dataclass(frozen=True, repr=False)
class Audit(Findings):
    """Result of `audit`: the counts, the measures, and their provenance.

    Attributes
    ----------
    tables : Dataset
        The counts, as `tabulate` returned them.
    measures : Dataset
        One variable a measure, dim ``synthetic`` where several synthetic tables were given.
    by_target : Dataset
        Of the original people with each level of the target: their number (``records``), average CAP (``average_cap_nearest``, or
        ``average_cap_zero`` where the nearest keys cannot be had), ``baseline``, and how many of them are guessed right with probability
        above 0.5 (``records_above_half``), above 0.9 (``records_above_nine_tenths``) and with certainty (``records_certain``).
        Dims ``target`` and, where several synthetic tables were given, ``synthetic``.
    by_column : Dataset
        Average CAP of an intruder who knows one key column ``alone``, and all ``without`` it; ``leave_one_out``, average CAP minus the
        latter; and for at most six columns and few tables ``shapley``, its share of average CAP minus that without a key. Dims
        ``key_column`` and, where several synthetic tables were given, ``synthetic``.
    provenance : dict
        Version, files, how columns were understood, domain, conventions, missing values, levels, ranking, and what the caller added.
    seen : mapping
        Size and time of change of each file that was read.

    Notes
    -----
    theory/publication.md#public-report says what the public version of `to_html` promises, and what it does not.
    """

    def to_frame(self) -> pd.DataFrame:
        """The measures, one row a synthetic table in the order of `ranked`, one column a measure."""
        index = pd.Index(self.labels if "synthetic" in self.measures.dims else ["synthetic"], name="synthetic")
        columns = {str(name): np.broadcast_to(array.values, len(index)) for name, array in self.measures.data_vars.items()}
        return pd.DataFrame(columns, index).iloc[self.ranked]

    def to_dict(self) -> dict[str, Any]:
        """The record: measures, those by target level and by key column, limits and provenance; what is undefined is None.

        It is what `to_json` writes, by the schema that ``capstats verify --schema`` prints.
        """
        levels = [level if len(self.provenance["target"]) > 1 else (level,) for level in self.by_target.indexes["target"]]
        names = [dict(zip(self.provenance["target"], map(in_json, level), strict=True)) for level in levels]
        found = {
            "measures": {str(name): self._numbers(array.values[()]) for name, array in self.measures.data_vars.items()},
            "by_target": self._rows(self.by_target, "target", {"level": names}),
            "by_column": self._rows(self.by_column, "key_column", {"column": self.by_column.indexes["key_column"]}),
            **({"ranked": [self.labels[i] for i in self.ranked]} if "synthetic" in self.measures.dims else {}),
            "counts": {"sha256": digest_of_rows(self.tables)},
        }
        shown = {name: of for name, of in (MEASURES | BY_COLUMN).items() if name in self.measures or name in self.by_column}
        return recorded(self, found, meanings(shown, self.provenance, self.weighted))

    def sections(self, *, whole: bool = False) -> Sections:  # noqa: ARG002  `to_html` has a page of its own
        """The report: the front sheet; what was read, the answer in sentences, who bears the risk, the details, and how to read them."""
        return {**self._front, **text_sections(self)}

    def to_html(
        self,
        path: str | Path | None = None,
        audience: Literal["internal", "public"] = "internal",
        threshold: int = 10,
        *,
        ledger: str | Path | None = None,
        reason: str | None = None,
        despite_pages: int | None = None,
    ) -> str:
        """The report as an HTML page in one file, which loads nothing and runs nothing.

        Parameters
        ----------
        path : str or Path, optional
            File to write the page to. The internal version is as confidential as the original, so its owner alone can read the file.
        audience : {"internal", "public"}
            The public version, of at most four releases, may be published with the data: no number in it, and no sum or difference of its
            numbers, describes 1 to `threshold` - 1 records. See theory/publication.md#public-report.
        threshold : int
            At least 2; used by the public version alone.
        ledger : str or Path
            Required by the public version: the file that keeps what was published of this original, as confidential; the first makes it.
        reason : str, optional
            Why another report than those in the ledger may be published. Two reports together can tell about one person.
        despite_pages : int, optional
            The number of this page, beside `reason`, where the ledger has eight or more: together they can prove small numbers of people.

        Returns
        -------
        str
            The page.

        Raises
        ------
        ValueError
            If `audience` is neither; if `path` was read; if there can be no public version (theory/publication.md#public-report); if the
            ledger is missing, damaged, a link or open to others, or has another report and there is no `reason`, or eight and no
            `despite_pages`.
        """
        check_choice(audience, "audience", ("internal", "public"))
        if path is not None:
            check_unread(path)  # before the ledger has it
        public = audience == "public"
        text = public_page(published(self, threshold, ledger, reason, path, despite_pages)) if public else internal_page(self, self._front)
        if path is not None:
            write_file(path, text, private=not public)
        return text

    @cached_property
    def _front(self) -> Sections:
        """The front sheet, of the text and of the page."""
        return front(self)

    def _rows(self, measures: xr.Dataset, dim: str, names: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The numbers of each element of a dim, after its name."""
        numbers = {str(name): map(self._numbers, array.transpose(dim, ...).values) for name, array in measures.data_vars.items()}
        columns = {**names, **numbers}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _numbers(self, values: Any) -> Any:
        """One number, or one for each synthetic table."""
        return dict(zip(self.labels, values.tolist(), strict=True)) if np.ndim(values) else values


@shows_options
def audit(
    original: Any,
    synthetic: Any = None,
    *,
    keys: Columns | None = None,
    target: Columns | None = None,
    holdout: Any = None,
    allow_no_match: bool = False,
    allow_same: bool = False,
    copy_columns: int | None = None,
    generator: Any = None,
    population_size: int | None = None,
    population: Any = None,
    published: Sequence[Any] | None = None,
    against: Any = None,
    rank_by: str | None = None,
    limits: Mapping[str, Limit] | None = None,
    utility: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
    **reading: Unpack[Reading],
) -> Audit:
    """Disclosure risk of one or several synthetic tables, as a report for the custodian of the original.

    It says how many people are guessed right from the synthetic data, how surely, and compared with what.

    Parameters
    ----------
    original : Dataset, data frame, mapping of columns, or path
        Counts, as `tabulate`, `from_counts`, `merge_counts` or `read_counts` give them, which are all that an audit needs:
        ``audit(tables)``. Or the confidential records, which are counted first; what follows, up to `holdout`, is then as in `tabulate`.
    synthetic : data frame, mapping of columns, or path; or several
        The releases.
    keys, target : column name or sequence of names
        The columns that the intruder knows, and the columns to guess.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis: a random split, or two random samples; the report says where the
        tables differ by more than chance allows. It also says what average CAP they have, by how much that of the original exceeds it,
        with its standard error (see `individual_share`); and for numbers of records the p-values of `laws.membership_test` and
        `laws.permutation_test`.
    allow_no_match : bool
        Whether to report even if a column of two tables shares no level, so that every risk is 0. Also whether to judge limits by numbers
        that may be too low since levels of keys or target seem to be in two spellings; otherwise a limit that they keep could not be told.
    allow_same : bool
        Whether to report even if two of original, releases and holdout hold the same records: one object or file, a copy, or the same
        rows in all columns that both have: ten or more, most of them unique, or, in memory, in the same order. Of counts that do not say
        that their records differ: the same counts of ten or more records, most of them alone in their cell.
    copy_columns : int, optional
        Most columns over which whole records are compared, 50 if not given; 0: they are not. The columns are those that all tables have,
        but for weights and counts, and for those in which each record of the original has a value of its own that is no fraction, such as a
        row number: a new number would hide copies. ``copied_records`` of the release are identical to a record of the original in all of
        them, ``copied_unique_records`` to one that is unique there, and ``near_copied_records``, for 2 to 20 columns, agree with one in all
        but one column; ``copied_people`` of the original have their record in the release. ``copied_beyond_chance`` is 1 where these are
        more than chance explains (``copied_p_value`` at most 0.005, by people of the holdout or, without one, by a fresh sample of the same
        population), 0 where they are not, and undefined where it cannot be told: a column has no value in common with the original, or one
        in two spellings, the holdout is too small, or no record could show it. ``copied_people_lower`` and ``copied_people_upper`` are
        an interval of 95 % of the people copied beyond chance, ``copied_people_beyond_chance`` is their estimate, and
        ``copied_people_fewest`` the fewest that the holdout could show. Values are compared as they stand in the records, without `types`
        and `bins`: 1, 1.0 and the text "1" are equal, so are True and 1, a date and its ISO 8601 text, and missing values and codes of
        `null_values`. A weighted record counts once. Near copies are not counted where files have more than 2**25 values in these columns;
        and records of which more than 100,000 are in an engine are compared there, by DuckDB, or not at all. See
        theory/individuals.md#copies.
    generator : Model, callable, or further releases, optional
        What made the release, to say whether the release is lower than most of its sisters: of many draws of one generator the lowest may
        be published, and its numbers are then not those of the generator. A model of `capstats.laws`, such as `laws.Given`, without `m`;
        or a function that takes the counts of the original, such as ``lambda o: laws.Given.from_conditionals(o, columns=network)``; or,
        of a program that gives no probabilities, further releases of it, as in `synthetic`, or counts of them as `tabulate` gives
        them. At least 19 are needed for a probability of 0.05. All releases that are audited are then of this generator.
        ``generator_mean`` and ``generator_deviation`` are the mean and the standard deviation of average CAP (version 1) over its
        releases, of a model exactly; ``generator_p_value`` is the probability that one of them has at most that of this release: by
        `cap_law`, or a bound where that is out of reach; of k further releases their rank (1 + number at most this) / (k + 1), and
        ``generator_mean_error`` the error of their mean. It is right where releases are drawn alike and independently; see `laws.Given`.
    population_size : int, optional
        Number of people of the population of which the original is a random sample, to say how many people who are unique in the
        original, and in a release as well, are expected to be unique in the population: by the models "pitman", "loglinear" and "zayatz"
        of `population_uniqueness`, which differ.
    population : data frame, mapping of columns, or path; or counts, optional
        Everybody in the population, by the keys at least: how many of these people are unique in the population is then known, and so
        are the fewest people who share the keys of a record (k-map) and the expected number of records that are linked to the right
        person. Records are read as those of the original, without weights and counts; counts are as `tabulate` gives them with
        ``target=None``. From sampling weights of the original that expected number, and the greatest risk of a record, follow by
        `individual_risk`, with neither of the two.
    published : list, optional
        Tables of counts of the same people that were published before, as in `disclosure.published_bounds`: how many people's target is
        certain from them (``published_certain``; ``published_certain_one_by_one`` if each is read by itself,
        ``published_certain_from_worst`` from the one that says most), the share that is guessed right by a draw from numbers of people that
        are fitted to all of them (``published_guess``), and what the release adds to it, at least (``published_gain``,
        ``published_gain_error``): the fit then starts from half the release. ``provenance["published"]`` has the number without each table,
        and with its smallest key column in pairs of levels.
    against : label, optional
        One of several synthetic tables, with which the others are compared: ``difference`` is their average CAP minus that of this one,
        and ``difference_error`` its standard error, record by record of the original (see `average_cap_interval`).
    rank_by : str, optional
        The measure, or utility, by which the report orders several synthetic tables, the greatest first; "-average_cap_nearest": the
        least first.
        By default the worst is first: by ``individual_gain`` where a holdout tells it, or else by average CAP.
    limits : mapping {measure: number or mapping}, optional
        The greatest value of each measure that the caller accepts; the report says which limits are kept (see `Audit.limits`). A mapping
        has it as ``limit``, and as texts its ``audience``, ``why`` and ``who`` decided it, which the record keeps.
    utility : mapping {name: number or {label: number}}, optional
        Numbers that the caller knows of each synthetic table, such as its utility; reports have them under these names.
    provenance : mapping, optional
        Further provenance of the result, such as a seed.
    missing, null_values, allow_unused_codes, types, bins, weights, counts, backing
        As in `tabulate`.
    encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`, for records.

    Returns
    -------
    Audit
        Prints as a report: what was read, the answer in sentences, who bears the risk by target level, and details; in a notebook as
        HTML. ``measures``, ``by_target`` and ``by_column`` hold the numbers, ``tables`` the counts, ``to_frame`` has a row for each
        synthetic table, ``to_dict`` and ``to_json`` all of it with its provenance. Shares are from 0 to 1 and NaN where they are undefined.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As `tabulate`; if counts have no `s`; if a column of two tables shares no level, unless `allow_no_match`; if two tables hold the
        same records, unless `allow_same`; if `population_size` is less than the number of records or given beside `population`, or
        `population` lacks people of a key of the original (the key is named); if `against` is no synthetic table, `rank_by` no measure, or
        `utility` not a number for each synthetic table; if `generator` is no model, draws another number of records than a release has, or
        is fewer than two releases.

    See Also
    --------
    tabulate, average_cap, average_cap_interval, baseline_cap, disclosure.disco, cap_ecdf, cap_quantiles, minimum_cap, individual_share,
    cap.target_distance, laws.membership_test, laws.permutation_test, laws.cap_law, screening.sweep

    Notes
    -----
    A guess is right with certainty where all synthetic records with the person's key have the person's target (`disco`). Ties at 0.5 and
    0.9 are not above them (`at_most`). Least and greatest attainable average CAP are over all synthetic tables on the targets and keys
    that the original or the synthetic table has, so that no average lies outside: see `minimum_cap` and `maximum_cap`.
    The report names levels of the original, however few people have them.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets".

    Examples
    --------
    >>> people = {"smoker": ["yes", "yes", "no", "no"], "health": ["sick", "well", "well", "well"]}
    >>> found = audit(people, people, keys="smoker", target="health", allow_same=True)  # released as it is
    >>> float(found.measures.average_cap_nearest), float(found.measures.baseline)
    (0.75, 0.625)

    Two releases, that which tells fewer people's health with certainty first; they agree in average CAP:

    >>> none = {"smoker": ["yes", "no"], "health": ["well", "well"]}
    >>> one_more = {"smoker": [*people["smoker"], "no"], "health": [*people["health"], "well"]}
    >>> found = audit(people, {"all": one_more, "none": none}, keys="smoker", target="health", rank_by="-records_certain", against="none")
    >>> found.to_frame()[["records_certain", "average_cap_nearest", "difference"]].round(3).reset_index().values.tolist()
    [['all', 2, 0.75, 0.0], ['none', 3, 0.75, 0.0]]

    A generator of two records with fair and independent columns: a key is in a release with the probability 3/4, and then half of its
    people are guessed right on average. Of the 16 releases that it can make, 11 have at most the average CAP of this one, 1/4:

    >>> from capstats import laws
    >>> fair = lambda o: laws.Given.from_function(o, probabilities=lambda cells: [1 / 4] * len(cells))
    >>> release = {"smoker": ["yes", "no"], "health": ["well", "sick"]}
    >>> found = audit(people, release, keys="smoker", target="health", generator=fair).measures
    >>> round(found.generator_mean.item(), 6), round(found.generator_p_value.item(), 6)
    (0.375, 0.6875)
    """
    counts_given = isinstance(original, xr.Dataset)
    original = as_tables(original) if counts_given else original
    labels = synthetic_labels(original) if counts_given else released(synthetic)[0]
    check_comparison(labels, against, rank_by, utility)
    check_limits(limits, utility)
    if population_size is not None and population is not None:
        raise ValueError("`population` says how many people there are; leave out `population_size` (--population-size).")
    given = {"keys": keys, "target": target, "holdout": holdout, "allow_same": allow_same, "copy_columns": copy_columns}
    beside = {"population": population, "population_size": population_size, "generator": generator, "allow_no_match": allow_no_match}
    wanted = {"rank_by": rank_by, "against": against, "utility": utility, "limits": limits and dict(limits)}
    asked_for = settings_of(synthetic, {"original": original, **given, **beside, **wanted, **reading})
    if not counts_given and copy_columns is None:
        given["copy_columns"] = COLUMNS
    seen: list[list[str]] = []

    def further(releases: Any) -> xr.Dataset:
        """Counts of further releases of the generator, read as the others."""
        if counts_given:
            raise TypeError(
                "Because `original` holds counts, `generator` must be a model, a function that returns one, or counts of more releases; it "
                "cannot be records."
            )
        names = ["original", "synthetic", *(["holdout"] if holdout is not None else [])]
        alike = {"keys": keys, "target": target, "holdout": holdout, "allow_same": True}
        found = original_and_release(original, releases, cast(Reading, of_arguments(reading, names)), warns=False, **alike)
        seen.extend(found.encoding.get("files", {}).get("synthetic", []))
        return found

    with Progress(reading.get("progress")) as shown:
        tables = original_and_release(original, synthetic, reading, shown, warns=False, **given)
        shown.step("computing the measures")
        people = None
        if population is not None:
            people, read = register(population, tables, None if counts_given else reading)
            population_size = int(total_of(people))
        asked = Asked(tables, against, generator, further, population_size, people)
        if published is not None:
            by = {"keys": tables.attrs["key_columns"], "target": tables.attrs["target_columns"]}
            wide, more = tables, [] if counts_given else more_columns(published, **by)
            if more:
                given = {"keys": [*chosen_columns(keys, "keys"), *more], "target": target, "allow_same": True}
                try:
                    wide = original_and_release(original, synthetic, reading, warns=False, **given)
                except ValueError:  # a release may lack a column that was published; what it adds is then not told
                    wide = counted(Request.of(reading, original=original, synthetic=None, **given), warns=False)
            asked.published = *opened(published, wide, **by, rng=np.random.default_rng(0)), wide
        described = description(asked, counts_given=counts_given)
        if counts_given and not allow_same and "different_records" not in tables.encoding:
            check_counts(tables)
        differs = holdout_differs(tables) if "h" in tables else {}
        warnings = warnings_of({**tables.attrs, **tables.encoding, **described}, allow_no_match, differs)
        measures = with_utility(measured(asked), utility)
        if people is not None and "files" in read:
            described["population"] = read["original"]
            described["files"] = {**described.get("files", {}), "population": read["files"]["original"]}
        if of_tables := [[x["file"]] for x in asked.of_tables if "file" in x]:
            described["files"] = {**described.get("files", {}), "published": of_tables}
        if population_size is not None:
            described["population_size"] = int(population_size)
        if generator is not None:
            described["files"] = {**described.get("files", {}), "generator": seen}
        levels, columns = asked.by_target, by_column(tables, asked.unmatched, asked.average)
    wanted["utility"] = utility and list(utility)
    settings = {
        "date": today(),
        **described,
        **conventions(measures),
        **({"average_cap_nearest": f"not computed: {asked.no_nearest}"} if asked.no_nearest else {}),
        **{name: value for name, value in wanted.items() if value is not None},
        **({"individual_disclosure": f"not defined: {FRACTIONAL}"} if "h" in tables and "holdout_cap" not in measures else {}),
        **({"weighted_matches": f"not defined: {BELOW_1}"} if "o_records" in tables and "weighted_matches" not in measures else {}),
        **({"holdout_differs": differs} if differs else {}),
        **({"published": asked.of_tables} if published is not None else {}),
        **({"warnings": warnings} if warnings else {}),
        **({"mismatched": spelled} if (spelled := mismatched(described)) and not allow_no_match else {}),
        **({"settings": asked_for} if asked_for else {}),
        **(provenance or {}),
    }
    if rank_by is not None:
        order_of(measures, rank_by)
    levels = levels.isel(target=np.flatnonzero(levels.records.values > 0))
    return Audit(tables, measures, levels, columns, settings, {} if counts_given else files_seen(settings))
