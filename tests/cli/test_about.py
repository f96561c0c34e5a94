"""What a bug report needs."""

from importlib.metadata import version

import pytest
from command_line import printed


@pytest.mark.parametrize("arguments", [["--version", "--verbose"], ["--verbose", "--version"]])
def test_it_names_every_version(arguments, capsys) -> None:
    found = dict(line.split(maxsplit=1) for line in printed(capsys, *arguments).splitlines())
    assert found["capstats"] == version("capstats")
    assert {name: found[name] for name in ("numpy", "pandas", "xarray", "duckdb")} == {
        x: version(x) for x in ("numpy", "pandas", "xarray", "duckdb")
    }
    assert found["Python"].startswith("3.")
    assert {"system", "encoding", "polars", "pyspark", "scikit-learn"} <= found.keys()
    assert not {"pytest", "sphinx"} & found.keys()
