"""The command line and its demonstration, on a part of the table."""

import subprocess
import sys

import pandas as pd
import pytest

import skanon
from skanon._cli import MOST_RECORDS, main
from skanon._demo import report as _report
from skanon._demo import run_demo
from skanon._demo import study as _study
from skanon.datasets import load_adult
from skanon.privacy import k_anonymity

RECORDS, SAMPLE, KS = 400, 300, [2, 10]


@pytest.fixture
def small_demo(monkeypatch):
    """Let the demonstration use few records and few k."""
    whole = load_adult()
    part = whole.data.head(RECORDS), whole.target.head(RECORDS)
    few = type(whole)(data=part[0], target=part[1], hierarchies=whole.hierarchies)
    monkeypatch.setattr(_study, "load_adult", lambda: few)
    monkeypatch.setattr(_study, "KS", KS)
    for module in (_study, _report):
        monkeypatch.setattr(module, "SAMPLE", SAMPLE)
    return few


def run_process(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "skanon", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_limit_of_k_is_the_size_of_the_table():
    assert len(load_adult().data) == MOST_RECORDS


def test_demo_reports_all_that_was_promised(small_demo, capsys):
    assert main(["demo", "--k", "20", "--seed", "3"]) == 0
    told = capsys.readouterr()
    for part in (
        "400 people",
        "The first 3 records, before and after",
        "Equivalence classes: ",
        "k achieved",
        "(asked for: 20)",
        "Information lost, by attribute",
        "all together",
        "Accuracy of a logistic regression",
        "raw",
    ):
        assert part in told.out
    for name in _study.QUASI_IDENTIFIERS:
        assert f"\n  {name} " in told.out
    for k in KS:
        assert f"\n  {k:>5}     0." in told.out
    assert max(map(len, told.out.splitlines())) <= 80
    assert not any(line != line.rstrip() for line in told.out.splitlines())
    assert told.out.isascii()
    assert "grid search: 6 of 6" in told.err


def test_the_same_seed_gives_the_same_report(small_demo, capsys):
    reports = []
    for _ in range(2):
        main(["demo", "--k", "10"])
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]


def test_the_written_release_is_k_anonymous_and_complete(small_demo, tmp_path, capsys):
    path = tmp_path / "release.csv"
    assert main(["demo", "--k", "15", "--csv", str(path)]) == 0
    release = pd.read_csv(path, keep_default_na=False)
    assert len(release) == RECORDS
    assert k_anonymity(release, _study.QUASI_IDENTIFIERS) >= 15
    assert release["income"].tolist() == small_demo.target.tolist()
    assert not set(_study.DROPPED) & set(release.columns)
    assert "Equivalence" in capsys.readouterr().out


def test_the_report_is_about_the_study_and_not_fixed_text(small_demo):
    written = []
    run_demo(30, 0, write=written.append)
    study = _study.Study.of_adult(30, 0)
    study.anonymize()
    text = "".join(written)
    assert f"Equivalence classes: {study.fitted.n_classes_}" in text
    assert f"{study.fitted.information_loss_:.3f}" in text
    assert f"k achieved      {study.achieved} " in text
    assert study.achieved >= 30


@pytest.mark.parametrize(
    ("k", "told"), [(RECORDS, "no class does so"), (2, "all have the same income.")]
)
def test_what_classes_share_is_told(k, told, small_demo):
    study = _study.Study.of_adult(k, 0)
    study.anonymize()
    assert told in " ".join(_report.classes_part(study).split())


def test_a_long_cell_goes_on_below():
    row = _report._row("job", ["x" * 8 + " " + "y" * 15, "short"])
    assert row == f"  job{' ' * 13}{'x' * 8}{' ' * 13}short\n{' ' * 18}{'y' * 15}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["demo", "--k", "1"], "1 hides nobody; give 2 or more"),
        (["demo", "--k", "many"], "'many' is not a whole number"),
        (["demo", "--k", "45223"], "more than the table's 45222 records"),
        (["demo", "--seed", "-1"], "-1 is not between 0 and"),
        (["demo", "--csv", "no/such/place.csv"], "'no/such' does not exist"),
        (["demo", "--csv", "."], "'.' is a folder"),
        (["dome"], "invalid choice: 'dome'"),
    ],
)
def test_wrong_usage_is_explained_at_once(arguments, told, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert not printed.out


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    assert "demo" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"skanon {skanon.__version__}\n"


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (skanon.exceptions.ReleaseError("not 5-anonymous"), 1, "not 5-anonymous"),
        (PermissionError(13, "Permission denied", "a.csv"), 1, "Permission denied"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_failures_are_one_line_and_an_exit_code(error, code, told, monkeypatch, capsys):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("skanon._demo.run_demo", fail)
    assert main(["demo"]) == code
    printed = capsys.readouterr().err
    assert told in printed
    assert printed.count("\n") == 1


def test_the_module_runs_as_a_script_and_without_the_kernels():
    ran = run_process("--help")
    assert ran.returncode == 0
    assert "demo" in ran.stdout
    probe = (
        "import sys, skanon._cli; skanon._cli._parser(); "
        "sys.exit('numba' in sys.modules or 'skanon._demo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0


def test_a_reader_that_leaves_is_no_error():
    program = (
        "import sys, skanon._cli, skanon._demo\n"
        "def talk(*_, write, **__):\n"
        "    for _ in range(100000): write('line' * 20 + chr(10))\n"
        "skanon._demo.run_demo = talk\n"
        "sys.exit(skanon._cli.main(['demo']))\n"
    )
    ran = subprocess.run(
        f'{sys.executable} -c "$PROGRAM" | head -n 1',
        shell=True,
        env={"PROGRAM": program, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "line" * 20 + "\n"
    assert not ran.stderr
