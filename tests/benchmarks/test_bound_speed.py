"""The lower bound of the loss: how high it is, how long it takes, what is above it."""

import time

import pandas as pd
import pytest

from skanon import KAnonymizer
from skanon.datasets import load_adult, load_cmc
from skanon.hierarchies import read_arx
from skanon.metrics import loss_lower_bound, loss_metric

pytestmark = pytest.mark.benchmark

HEAD = ["hierarchies", "k", "method", "seconds", "bound", "a release", "gap"]
CMC_HEAD = ["k", "method", "seconds", "bound"]
CMC_HEAD += ["default", "default / bound", "high", "high / bound"]
CMC = "Lower bound of LM, CMC, 1,473 x 9, two cores"
TITLE = "Lower bound of LM, Adult, one core"


def bound_in_time(frame, k, hierarchies, method):
    start = time.perf_counter()
    bound = loss_lower_bound(frame, k=k, hierarchies=hierarchies, method=method)
    return bound, time.perf_counter() - start


@pytest.fixture(scope="module")
def adult():
    frame = load_adult().data
    for method in ("support", "neighbour"):  # load the compiled kernels
        loss_lower_bound(frame[:100], k=2, method=method)
    return frame


@pytest.mark.parametrize("k", [10, 20, 50, 100])
def test_adult_with_suppression(figures, adult, k):
    hierarchies = dict.fromkeys(adult, "suppression")
    bound, seconds = bound_in_time(adult, k, hierarchies, "auto")
    fitted = KAnonymizer(k, hierarchies=hierarchies, random_state=0).fit(adult)
    released = fitted.information_loss_
    row = ["suppression", k, "auto", f"{seconds:.1f}", f"{bound:.4f}"]
    figures(TITLE, HEAD, [*row, f"{released:.4f}", f"{released - bound:.4f}"])
    assert bound <= released
    assert seconds <= 33


@pytest.mark.parametrize("method", ["support", "neighbour"])
@pytest.mark.parametrize("k", [2, 10, 50])
def test_adult_with_default_hierarchies(figures, adult, k, method):
    bound, seconds = bound_in_time(adult, k, None, method)
    row = ["default", k, method, f"{seconds:.1f}", f"{bound:.4f}"]
    figures(TITLE, HEAD, [*row, "", ""])


@pytest.mark.parametrize("k", [2, 5, 10, 50])
def test_releases_of_arx(figures, adult, shared_data, k):
    table = pd.read_csv(shared_data / "arx_adult_30162.csv.gz", sep=";", dtype=str)
    names = [name for name in table if name != "salary-class"]
    hierarchies = {
        name: read_arx(shared_data / f"adult_hierarchy_{name}.csv") for name in names
    }
    release = pd.read_csv(shared_data / f"arx_local_k{k}.csv.gz", sep=";", dtype=str)
    bound, seconds = bound_in_time(table[names], k, hierarchies, "auto")
    released = loss_metric(
        table, release, hierarchies=hierarchies, quasi_identifiers=names
    )
    row = ["ARX's, 30,162 x 8", k, "auto", f"{seconds:.1f}", f"{bound:.4f}"]
    figures(TITLE, HEAD, [*row, f"{released:.4f} (ARX)", f"{released - bound:.4f}"])
    assert bound <= released


@pytest.mark.parametrize("k", [2, 5, 10])
def test_shares_of_cmc(figures, k):
    women = load_cmc()
    frame, hierarchies = women.data, women.hierarchies
    loss_lower_bound(frame[:100], k=k, hierarchies=hierarchies, method="dual")
    released = {
        effort: KAnonymizer(k, hierarchies=hierarchies, effort=effort, random_state=0)
        .fit(frame)
        .information_loss_
        for effort in ("default", "high")
    }
    for method in ("auto", "dual"):
        bound, seconds = bound_in_time(frame, k, hierarchies, method)
        row = [k, method, f"{seconds:.1f}", f"{bound:.4f}"]
        for loss in released.values():
            row += [f"{loss:.4f}", f"{loss / bound:.3f}"]
        figures(CMC, CMC_HEAD, row)
        assert bound <= min(released.values())
