"""How many threads work on one table."""

from joblib import Parallel, cpu_count, delayed, parallel_config

from skanon._parallel import n_threads


def test_all_processors_by_default():
    assert n_threads(None) == n_threads(-1) == cpu_count()
    assert n_threads(3) == 3


def test_what_the_user_says_holds():
    with parallel_config(n_jobs=3):
        assert n_threads(None) == 3
    with parallel_config("sequential"):
        assert n_threads(None) == 1


def test_one_where_folds_already_run_side_by_side():
    for prefer in ("threads", "processes"):
        found = Parallel(n_jobs=2, prefer=prefer)(
            delayed(n_threads)(None) for _ in range(2)
        )
        assert found == [1, 1]
