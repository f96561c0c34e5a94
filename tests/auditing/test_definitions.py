"""Every number of a report has a definition, with a page of the documentation that exists."""

from pathlib import Path

from capstats.auditing.definitions import DEFINITIONS, OF_WEIGHTED, definitions
from capstats.auditing.internal import BOUNDS, CERTAIN, MATCHED, OF_COLUMNS, RELEASES
from capstats.auditing.publication import OF_ORIGINAL, OF_RELEASES

THEORY = Path(__file__).parents[2] / "theory"
EXPLAINED = {name for measures, *_ in DEFINITIONS for name in measures}


def test_each_page_exists_and_each_source_has_an_address_or_none():
    for _, meaning, more in definitions(EXPLAINED).rows:
        (page, address), *sources = more
        assert (THEORY.parent / page).is_file()
        assert address is None
        assert all(link is None or link.startswith("https://doi.org/") for _, link in sources)
        assert len(meaning) <= 2 * 140


def test_what_a_report_compares_is_explained():
    shares = {*OF_ORIGINAL, *OF_RELEASES, *OF_COLUMNS, *RELEASES, *CERTAIN, *MATCHED, *BOUNDS}
    stem = {name.removesuffix("_least").removesuffix("_greatest").removesuffix("_matched") for name in shares}
    of_themselves = {  # what their own words say
        "individual_disclosure",
        "difference",
        "records_certain",
        "unmatched_records",
        "share_above_half",
        "share_above_nine_tenths",
        "leave_one_out",
    }
    assert stem - EXPLAINED - of_themselves == set()


def test_only_what_is_asked_for_is_explained():
    assert [term for term, *_ in definitions({"baseline"}).rows] == ["baseline"]


def test_weighted_tables_have_meanings_of_their_own():
    """Of each table alone, and no longer than the others; a term that is not there would go unread."""
    usual = {term: meaning for term, meaning, _ in definitions(EXPLAINED).rows}
    for table in ("original", "synthetic"):
        told = {term: meaning for term, meaning, _ in definitions(EXPLAINED, [table]).rows}
        changed = {term for term in told if told[term] != usual[term]}
        assert changed == {term for of, term, _ in OF_WEIGHTED if of == table}
        assert all("weight" in told[term] and len(told[term]) <= 2 * 140 for term in changed)
    assert "picked at random" in usual["CAP of one person"]
    assert "at random" not in dict(row[:2] for row in definitions(EXPLAINED, ["synthetic"]).rows)["CAP of one person"]
