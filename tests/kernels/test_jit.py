"""How kernels are compiled where something that numba may offer is missing."""

import numba
import numpy as np
import pytest

from skanon.kernels import jit


def first_of(values):
    return values[0]


class Bare:
    """Options of a numba that always counts references."""


def test_helpers_do_without_the_private_option(monkeypatch):
    monkeypatch.setattr(jit, "DefaultOptions", Bare)
    assert jit.helper(first_of)(np.array([3, 4])) == 3


def test_kernels_do_without_a_folder_for_machine_code(monkeypatch):
    njit = numba.njit

    def refuse(function, *, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(function, **options)

    monkeypatch.setattr(jit.numba, "njit", refuse)
    assert jit.kernel(first_of)(np.array([3, 4])) == 3


def test_other_failures_of_numba_are_told(monkeypatch):
    def fail(function, **options):
        raise ValueError("something else")

    monkeypatch.setattr(jit.numba, "njit", fail)
    with pytest.raises(ValueError, match="something else"):
        jit.kernel(first_of)
