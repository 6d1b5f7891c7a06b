"""What the tests share: where the real tables lie."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real tables, or skip."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SKANON_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real tables: SKANON_DATA is not set and {folder} is absent")
    return folder
