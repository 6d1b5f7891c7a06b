"""Time and memory on Adult, 45,222 records, 14 attributes, suppression; one core.

Each figure is taken in a process of its own, after a small fit that loads the
compiled kernels.
"""

import pytest

pytestmark = pytest.mark.benchmark

FIT = """
import resource, time
from skanon import KAnonymizer
from skanon.datasets import load_adult
adult = load_adult().data
hierarchies = dict.fromkeys(adult.columns, "suppression")
anonymizer = KAnonymizer(
    k={k}, algorithm={algorithm!r}, refine=0, hierarchies=hierarchies, random_state=0
)
anonymizer.fit(adult.iloc[:1000])
start = time.perf_counter()
anonymizer.fit(adult)
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""

IMPORT = """
import time
import pandas, sklearn.base
start = time.perf_counter()
import skanon
print(time.perf_counter() - start)
"""

FIRST_AND_SECOND = """
import time
from skanon import KAnonymizer
from skanon.datasets import load_adult
adult = load_adult().data.iloc[:1000]
for _ in range(2):
    start = time.perf_counter()
    KAnonymizer(k=10, algorithm={algorithm!r}, refine=0, random_state=0).fit(adult)
    print(time.perf_counter() - start)
"""


@pytest.mark.parametrize(
    ("algorithm", "k", "limit"),
    [("sequential", 50, 5.0), ("sequential", 10, 35.0), ("mondrian", 10, 1.0)],
)
def test_fit_of_adult(figures, measure, algorithm, k, limit):
    runs = [measure(FIT.format(algorithm=algorithm, refine=0, k=k)) for _ in range(3)]
    seconds, megabytes = min(runs)[0], max(run[1] for run in runs)
    figures(
        "Fit of Adult, 45,222 x 14, warm kernels, one core, best of 3",
        ["algorithm", "k", "seconds", "limit", "peak memory of the process (MB)"],
        [algorithm, k, f"{seconds:.2f}", limit, f"{megabytes:.0f}"],
    )
    assert seconds <= limit
    assert megabytes < 500


def test_import(figures, measure):
    seconds = min(measure(IMPORT)[0] for _ in range(3))
    figures(
        "Start, best of 3",
        ["what", "seconds", "limit"],
        ["import skanon, after pandas and sklearn.base", f"{seconds:.3f}", 0.3],
    )
    assert seconds <= 0.3


@pytest.mark.parametrize("algorithm", ["sequential", "mondrian"])
def test_first_fit_in_a_new_process(figures, measure, algorithm):
    code = FIRST_AND_SECOND.format(algorithm=algorithm)
    measure(code)  # fills the cache of compiled kernels
    runs = [measure(code) for _ in range(3)]
    late = min(first - second for first, second in runs)
    second = min(second for _, second in runs)
    rows = [
        (f"{algorithm}: first fit in a process, more than the second", late, 2.0),
        (f"{algorithm}: second fit, 1,000 records, k = 10", second, 0.2),
    ]
    for what, seconds, limit in rows:
        figures(
            "Start, best of 3",
            ["what", "seconds", "limit"],
            [what, f"{seconds:.3f}", limit],
        )
        assert seconds <= limit


FIT_EIGHT = """
import resource, time
from skanon import KAnonymizer
from skanon.datasets import load_adult
names = ["age", "workclass", "education-num", "marital-status", "occupation", "race"]
adult = load_adult().data[[*names, "sex", "native-country"]]
anonymizer = KAnonymizer(k=10, algorithm={algorithm!r}, refine=0, random_state=0)
anonymizer.fit(adult.iloc[:1000])
start = time.perf_counter()
anonymizer.fit(adult)
seconds = time.perf_counter() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(seconds, memory, anonymizer.information_loss_)
"""

LIMITS = {
    "mondrian": 1,
    "hilbert": 1,
    "bisecting": 5,
    "k_member": 30,
    "one_pass_k_means": 30,
    "agglomerative": 120,
    "forest": 120,
    "top_down": None,
    "threshold_greedy": None,
    "weighted_c_means": None,
    "bottom_up": None,
    "sequential": None,
}


@pytest.mark.parametrize("algorithm", LIMITS)
def test_fit_of_eight_quasi_identifiers(figures, measure, algorithm):
    limit = LIMITS[algorithm]
    runs = [measure(FIT_EIGHT.format(algorithm=algorithm)) for _ in range(2)]
    seconds, megabytes, loss = min(runs)
    figures(
        "Fit of Adult, 45,222 x 8, k = 10, default hierarchies, warm, best of 2",
        ["algorithm", "LM", "seconds", "limit", "peak memory of the process (MB)"],
        [algorithm, f"{loss:.4f}", f"{seconds:.2f}", limit or "", f"{megabytes:.0f}"],
    )
    assert limit is None or seconds <= limit
    assert megabytes < 700  # an n x n matrix would take 16,000
