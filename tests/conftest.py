"""What the tests share: where the real tables lie, and how hypothesis runs."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile(
    "skanon",
    deadline=None,  # the first call compiles kernels
    derandomize="CI" in os.environ,  # a change is judged by what it changes
)
settings.load_profile("skanon")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real tables, or skip."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SKANON_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real tables: {folder} (SKANON_DATA) is no folder")
    return folder
