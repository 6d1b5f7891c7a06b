"""``algorithm="auto"``: loss and time, from 5,000 to a million records.

Eight quasi-identifiers of Adult, NCP, age and years of education as intervals, the rest
subsets; kernels warm, two processors. Larger tables are Adult, drawn again and again,
with jitter on the numbers.
"""

import pytest

pytestmark = pytest.mark.benchmark

FIT = """
import resource, time
import numpy as np
from skanon import KAnonymizer
from skanon.datasets import load_adult
names = [
    "age", "workclass", "education-num", "marital-status", "occupation", "race",
    "sex", "native-country",
]
people, n = load_adult().data[names], {n}
if n > len(people):
    rng = np.random.RandomState(0)
    people = people.iloc[rng.randint(len(people), size=n)].reset_index(drop=True)
    people["age"] += rng.randint(-2, 3, n)
    people["education-num"] += rng.randint(0, 2, n)
else:
    people = people.sample(n, random_state=0).reset_index(drop=True)
hierarchies = dict.fromkeys(names, "subsets")
hierarchies.update({{"age": "intervals", "education-num": "intervals"}})
anonymizer = KAnonymizer(
    {k},
    algorithm={algorithm!r},
    hierarchies=hierarchies,
    loss="ncp",
    random_state=0,
    n_jobs=2,
)
if {effort!r}:
    anonymizer.set_params(effort={effort!r})
else:
    anonymizer.set_params(refine=0)
anonymizer.fit(people.iloc[:1000])
start = time.perf_counter()
anonymizer.fit(people)
seconds = time.perf_counter() - start
print(
    anonymizer.information_loss_,
    seconds,
    resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
)
"""

AUTO = [
    (n, k, effort)
    for n in (5_000, 45_222)
    for k in (10, 50)
    for effort in ("fast", "default", "high")
]
LARGE = [
    (n, 10, effort)
    for n in (100_000, 300_000, 1_000_000)
    for effort in ("fast", "default")
]
MOST = {
    (5_000, 10, "default"): (0.0645, 3),
    (5_000, 50, "default"): (0.175, 3),
    (45_222, 10, "default"): (0.0293, 20),
    (45_222, 50, "default"): (0.0860, 20),
    (45_222, 10, "fast"): (0.034, 3),
    (45_222, 50, "fast"): (0.095, 3),
    (5_000, 10, "high"): (0.0625, 600),
    (5_000, 50, "high"): (0.170, 600),
    (45_222, 10, "high"): (0.0283, 600),
    (45_222, 50, "high"): (0.0820, 600),
    (300_000, 10, "default"): ("", 40),
    (1_000_000, 10, "default"): ("", 120),
}
"""The wanted loss and seconds."""


@pytest.mark.parametrize(("n", "k", "effort"), AUTO + LARGE)
def test_effort(figures, measure, n, k, effort):
    loss, seconds, megabytes = measure(
        FIT.format(n=n, k=k, algorithm="auto", effort=effort)
    )
    wanted = MOST.get((n, k, effort))
    figures(
        'algorithm="auto", Adult x 8, NCP, two processors',
        ["records", "k", "effort", "NCP", "seconds", "wanted", "MB"],
        [
            f"{n:,}",
            k,
            effort,
            f"{loss:.4f}",
            f"{seconds:.1f}",
            "" if wanted is None else f"{wanted[0]} in {wanted[1]} s".strip(),
            f"{megabytes:.0f}",
        ],
    )
    assert megabytes < 3000


@pytest.mark.parametrize("algorithm", ["sequential", "agglomerative"])
@pytest.mark.parametrize("k", [10, 50])
def test_single_algorithms_lose_more(figures, measure, algorithm, k):
    plain = measure(FIT.format(n=45_222, k=k, algorithm=algorithm, effort=""))
    engine = measure(FIT.format(n=45_222, k=k, algorithm="auto", effort="default"))
    figures(
        "One algorithm by itself, 45,222 x 8, in the same run",
        ["k", "algorithm", "NCP", "seconds", "auto: NCP", "auto: seconds"],
        [
            k,
            algorithm,
            f"{plain[0]:.4f}",
            f"{plain[1]:.1f}",
            f"{engine[0]:.4f}",
            f"{engine[1]:.1f}",
        ],
    )
    assert engine[0] < plain[0]
