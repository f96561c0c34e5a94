"""The command `capstats anonymity`: the privacy models of one file, or of the original beside releases."""

import numpy as np
import pandas as pd
import pytest
from command_line import SMOKERS, in_json, printed, refused

import capstats
from capstats import tabulate
from capstats.anonymity import anonymity_profile
from capstats.cli import main

pytestmark = pytest.mark.slow

COLUMNS = SMOKERS[3:]


def test_the_models_are_those_of_the_library(here, capsys):
    found = in_json(capsys, "anonymity", *SMOKERS[1:])
    tables = tabulate("original.csv", "synthetic.csv", keys="smoking", target="health")
    profile = anonymity_profile(tables.o, tables.s)
    assert list(found["models"]) == list(profile)
    for name, of in found["models"].items():
        expected = dict(zip(("original", "synthetic"), profile[name].values.tolist(), strict=True))
        assert of == pytest.approx({table: "infinite" if np.isinf(x) else x for table, x in expected.items()})
    assert found["models"]["k"] == {"original": 50, "synthetic": 33}
    told = found["provenance"]
    assert (told["capstats"], told["original_records"], told["settings"]["keys"]) == (capstats.__version__, 100, ["smoking"])


def test_one_file_is_enough(here, capsys):
    found = in_json(capsys, "anonymity", "original.csv", *COLUMNS)
    assert found["models"]["k"] == {"original": 50}
    lines = [line.split() for line in printed(capsys, "anonymity", "original.csv", *COLUMNS).splitlines()]
    assert ["k", "50"] in lines
    assert ["original", "original.csv"] in lines


def test_several_releases_have_a_column_each(here, capsys):
    found = in_json(capsys, "anonymity", "original.csv", "synthetic.csv", "smokers.csv", *COLUMNS)
    assert found["models"]["classes"] == {"original": 2, "synthetic.csv": 2, "smokers.csv": 1}


def test_l_is_the_number_of_targets_of_the_recursive_diversity(here, capsys):
    one, two = (in_json(capsys, "anonymity", "original.csv", *COLUMNS, "--l", l)["models"]["recursive_c"]["original"] for l in "12")  # noqa: E741
    assert one < two


def test_what_is_infinite_or_undefined_is_said_so(tmp_path, capsys):
    path = tmp_path / "t.csv"
    pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"], "u": ["p", "q"]}).to_csv(path, index=False)
    lines = [line.split() for line in printed(capsys, "anonymity", str(path), "--keys", "k", "--target", "t,u").splitlines()]
    assert ["delta", "infinite"] in lines
    assert ["ordered_t", "undefined"] in lines
    assert in_json(capsys, "anonymity", str(path), "--keys", "k", "--target", "t,u")["models"]["ordered_t"] == {"original": None}


@pytest.mark.parametrize("figure", [["--figure", "models.png"], ["--figure=models.png"]])
def test_the_removed_figure_says_what_to_use(figure, here, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["anonymity", *SMOKERS[1:], *figure])
    assert "--figure of anonymity was removed; use the table that it prints, or --json. Try" in capsys.readouterr().err


def test_a_column_that_shares_no_level_is_refused_unless_allowed(here, tmp_path, capsys):
    path = tmp_path / "lower.csv"
    path.write_text("smoking,health\nsmoking,Sick\n")
    arguments = ["anonymity", "original.csv", str(path), *COLUMNS]
    assert "use --allow-no-match" in refused(capsys, *arguments)
    assert main([*arguments, "--allow-no-match"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("capstats ")
    assert err.startswith("capstats anonymity: warning: Column 'smoking' has no level in common")
