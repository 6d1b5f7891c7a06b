"""What the tests share: where the real tables lie, and how hypothesis runs."""

import logging
import os
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# The same examples everywhere: a change is judged by what it changes. The first call
# of a kernel compiles it, hence no deadline.
settings.register_profile("skanon", deadline=None, derandomize=True)
# pytest --hypothesis-profile explore: new examples each time, and many; what it finds
# becomes an @example.
EXPLORED = 20
settings.register_profile(
    "explore", deadline=None, derandomize=False, max_examples=1000, print_blob=True
)
# --hypothesis-profile mutation: few examples, and the first failure is enough
FEW = 25
settings.register_profile(
    "mutation", deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("skanon")
# Whether kernels are compiled or read is no matter of the tests.
logging.getLogger("skanon").setLevel(logging.ERROR)


_LONG = {"test_golden", "test_notebooks", "test_estimator_checks", "test_bad_input"}


def pytest_collection_modifyitems(items):
    """Begin with the longest files; let exploration draw more in every test.

    With those at the end, one of two processes would go on long after the other.
    """
    items.sort(key=lambda item: item.path.stem not in _LONG)
    profile = settings.get_current_profile_name()
    if profile == "skanon":
        return
    for test in {getattr(item, "obj", None) for item in items}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is None:
            continue
        n, phases = own.max_examples, own.phases
        if profile == "explore" and n < settings.default.max_examples:
            n *= EXPLORED
        if profile == "mutation":
            n, phases = min(n, FEW), settings.default.phases
        changed = settings(own, max_examples=n, phases=phases)
        test._hypothesis_internal_use_settings = changed


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real tables, or skip."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SKANON_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real tables: {folder} (SKANON_DATA) is no folder")
    return folder
