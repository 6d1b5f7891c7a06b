"""The command line: ``skanon demo``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from skanon._version import __version__
from skanon.exceptions import AnonymizationError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
"""Exit codes; 0 is success, and argparse itself uses 2."""

MOST_RECORDS = 45222
"""How many records the demonstration has, which is as large as k can be."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, or None
        What follows ``skanon``; None: the arguments of this process.

    Returns
    -------
    int
        The exit code: 0 for success, 1 where the job failed, 2 for wrong usage, 130
        after Ctrl+C.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help(sys.stderr)
        return MISUSED
    try:
        return _demo(given)
    except (AnonymizationError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            return _reader_left()
        sys.stderr.write(f"skanon: {error}\n")
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("skanon: interrupted\n")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skanon",
        description="Publish tables about people, so that nobody can be singled out.",
    )
    version = f"skanon {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands"
    )
    demo = commands.add_parser(
        "demo",
        help="anonymize a real census table and show what it gains and costs",
        description=(
            "Anonymize UCI's Adult, 45,222 people of a census survey, and show records "
            "before and after, the equivalence classes, the loss of each attribute, "
            "and how well incomes can still be predicted. Takes about a minute. The "
            "report goes to the standard output, progress to the error stream."
        ),
    )
    demo.add_argument(
        "--k",
        type=_k,
        default=50,
        help="how many records share their quasi-identifiers, at least (default: 50; "
        "smaller ones take longer)",
    )
    demo.add_argument(
        "--seed",
        type=_seed,
        default=0,
        help="start of the random numbers; the same seed gives the same release "
        "(default: 0)",
    )
    demo.add_argument(
        "--csv",
        type=_new_file,
        metavar="PATH",
        help="also write the whole release there, over what the file may hold",
    )
    return parser


def _k(text: str) -> int:
    k = _integer(text)
    if k < 2:
        raise argparse.ArgumentTypeError(f"{k} hides nobody; give 2 or more")
    if k > MOST_RECORDS:
        raise argparse.ArgumentTypeError(
            f"{k} is more than the table's {MOST_RECORDS} records; give at most that"
        )
    return k


def _seed(text: str) -> int:
    seed = _integer(text)
    if not 0 <= seed < 2**32:
        raise argparse.ArgumentTypeError(f"{seed} is not between 0 and {2**32 - 1}")
    return seed


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _new_file(text: str) -> Path:
    """Refuse a place that cannot be written to before a minute is spent."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(
            f"the folder {str(path.parent)!r} does not exist; create it first"
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written to")
    return path


def _demo(given: argparse.Namespace) -> int:
    # scikit-learn's model selection and the kernels take seconds to import
    from skanon._demo import run_demo

    run_demo(given.k, given.seed, csv=given.csv, write=sys.stdout.write)
    sys.stdout.flush()
    return 0


def _reader_left() -> int:
    """Let ``skanon demo | head`` end without a complaint at the interpreter's exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED
