"""No algorithm's result changes unnoticed; see ``golden.py``."""

import json

import golden
import pytest

CASES = list(golden.cases())
BY_ALGORITHM = sorted({name.split()[0] for name, _, _ in CASES})


@pytest.mark.parametrize("algorithm", BY_ALGORITHM)
@pytest.mark.filterwarnings("ignore::skanon.exceptions.PrivacyWarning")
def test_results_are_those_that_were_written_down(algorithm):
    written = json.loads(golden.PATH.read_text(encoding="utf-8"))
    for name, anonymizer, table in CASES:
        if name.split()[0] == algorithm:
            found, expected = golden.result(anonymizer, table), written.pop(name)
            loss, expected_loss = found.pop("loss"), expected.pop("loss")
            assert (name, found) == (name, expected)
            assert loss == pytest.approx(expected_loss, abs=1e-12), name


def test_all_that_was_written_down_is_compared():
    written = json.loads(golden.PATH.read_text(encoding="utf-8"))
    assert list(written) == [name for name, _, _ in CASES]
