from pathlib import Path
from typing import Any

import pytest
from command_line import printed

from capstats.cli.flags import in_options
from capstats.cli.options import COMMANDS
from capstats.cli.reading import warned

AUDIT = next(command for command in COMMANDS if command.name == "audit").options.values()


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("use allow_same=True (--allow-same).", "use --allow-same."),
        ("copy_columns=0 (--copy-columns 0) leaves", "--copy-columns 0 leaves"),
        ("as with types={'a': 'date'} and bins={'a': 10} (--type a=date --bin a=10)", "as with --type a=date --bin a=10"),
        (
            "types={'a b': 'number'} and decimal={'synthetic': ','} and null_values={'a b': ['-9', 'NA']} "
            "(--type 'a b'=number --decimal synthetic=, --null-values 'a b=-9,NA').",
            "--type 'a b'=number --decimal synthetic=, --null-values 'a b=-9,NA'.",
        ),
        ("say weights=('pw (x)', None) (--weights 'pw (x),')", "say --weights 'pw (x),'"),
        ("say null_values=['-9', '\"-9\"'] (--null-values '-9,\"-9\"').", "say --null-values '-9,\"-9\"'."),
        ("Convert it, or say types={'a': 'text'}.", "Convert it, or say --type a=text."),
        ('or give backing="dense".', "or give --backing dense."),
        ("Group levels (bins=), or name fewer. `bins` and `original`", "Group levels (--bins), or name fewer. --bins and `original`"),
        ("give weights=... to tabulate", "give --weights to tabulate"),
        ("Column 'weights' holds 'bins=3', say --type weights=number", "Column 'weights' holds 'bins=3', say --type weights=number"),
        ("average_cap(unmatched=nearest), `within` of average_cap", "average_cap(unmatched=nearest), `within` of average_cap"),
    ],
)
def test_arguments_become_options(message: str, written: str) -> None:
    assert in_options(message, AUDIT) == written


def test_a_printed_report_advises_options_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """In Python both forms are printed, as in the file of --json."""
    monkeypatch.chdir(tmp_path)
    for name in "os":
        Path(f"{name}.csv").write_text("age,income\n" + "".join(f"{i % 9},{i / 4}\n" for i in range(400)))
    tables = ["audit", "o.csv", "s.csv", "--keys", "age", "--target", "income", "--allow-same", "--copy-columns", "0"]
    told = " ".join(printed(capsys, *tables, "--json", "found.json").split())
    assert "Cut it, as with --bin income=10, or let near" in told
    assert "Copies of real records: not computed: --copy-columns 0." in told
    assert "bins={'income': 10} (--bin income=10)" in Path("found.json").read_text()


def test_a_warning_names_no_function_of_python():
    text = "Column 'k' has no level in common. Say types={'k': 'number'} (--type k=number). For all levels see compare_levels."
    assert warned(text) == "warning: Column 'k' has no level in common. Say --type k=number."
