"""The command `capstats paper`: its exit status, and its seed."""

import pytest
from command_line import refused

import capstats
from capstats.cli import main
from capstats.paper import Value

pytestmark = pytest.mark.slow


def test_paper_exits_with_1_where_a_printed_value_does_not_agree(tmp_path, monkeypatch, capsys):
    def with_one_wrong(out, **asked):
        values, averages, files = real(out, **asked)
        return [*values, Value("4", "made up", "0.5", 0.6)], averages, files

    real = capstats.paper.reproduce
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *args, **kwargs: None)
    monkeypatch.setattr("capstats.paper.reproduce", with_one_wrong)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "14 of 15 printed values agree."
    assert [line.split()[-1] for line in out.splitlines() if "made up" in line] == ["NO"]


def test_paper_exits_with_1_where_a_table_is_wrong(tmp_path, monkeypatch, capsys):
    """A misprint in S_e: 69 in place of 169. The mode of the key stays, and with it the 272; the average CAP does not."""
    synthetics = capstats.datasets.paper_synthetics()
    assert synthetics.sel(synthetic="e").values[2, 0] == 169
    synthetics.loc[{"synthetic": "e"}].values[2, 0] = 69
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *args, **kwargs: None)
    monkeypatch.setattr("capstats.paper.paper_synthetics", lambda: synthetics)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    wrong = [line for line in capsys.readouterr().out.splitlines() if line.endswith("NO")]
    assert len(wrong) == 1
    assert "average CAP of O_4 with S_e" in wrong[0]


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ([], {}),
        (["--seed", "3"], {"seed": 3}),
        (["--seed", "0"], {"seed": 0}),
        (["--records", "50", "--model", "independent", "--draws", "7"], {"m": 50, "model": "independent", "draws": 7}),
    ],
)
def test_paper_passes_its_options_on(given, passed, tmp_path, monkeypatch, capsys):
    asked = []

    def stop(out, **of):
        asked.append((out, of))
        raise ValueError("far enough")

    monkeypatch.setattr("capstats.paper.reproduce", stop)
    assert main(["paper", "--out", str(tmp_path), *given]) == 2
    assert asked == [(str(tmp_path), {"originals": None, **passed})]
    assert capsys.readouterr().err == "capstats paper: far enough\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--records", "0"], "--records must be a number of synthetic records, an integer from 1 to below 2**53; got 0"),
        (["--draws", "0"], "--draws must be a number of tables, an integer of at least 1; got 0"),
        (["--keys", "educ"], "--keys says how --originals is read. Give both, or neither."),
        (["--originals", "none.csv"], "give --keys and --target."),
        (["--originals", "none.csv", "--keys", "a", "--target", "b"], "none.csv"),
    ],
)
def test_paper_names_a_wrong_option_before_it_writes(given, said, tmp_path, capsys):
    assert said in refused(capsys, "paper", "--out", str(tmp_path / "out"), *given)
    assert not (tmp_path / "out").exists()
