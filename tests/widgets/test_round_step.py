"""1, 2 or 5 times a power of ten, from the smallest float to the largest."""

import math
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_inspector_costs import bound_to

from skanon_widgets._hierarchy_editor.axis import Axis
from skanon_widgets._metric_inspector.bins import bars
from skanon_widgets._shared.round_step import round_step

LARGEST, SMALLEST = sys.float_info.max, 5e-324


@pytest.mark.parametrize(
    ("least", "step"),
    [
        (0.3, 0.5),
        (9, 10),
        (10, 10),
        (10.00001, 10),  # within a millionth
        (10.0001, 20),
        (20, 20),
        (20.1, 50),
        (50.1, 100),
        (99.99999, 100),
        (1 / 3 * 3e-7, 1e-7),
        (0, 1),
        (-3, 1),
        (math.nan, 1),
        (1e300, 1e300),
        (1.1e300, 2e300),
        (6e307, 1e308),
        (LARGEST, 1e308),
        (math.inf, 1e308),
        (SMALLEST, SMALLEST),
        (2.1e-320, 5e-320),
        (sys.float_info.min, 5e-308),
    ],
)
def test_steps(least, step):
    assert round_step(least) == step


@pytest.mark.parametrize("power", range(-323, 308))
def test_what_is_round_stays(power):
    for first in (1, 2, 5):
        number = float(f"{first}e{power}")
        assert round_step(number) == number


@given(st.floats(min_value=1e-300, max_value=9e307))
def test_the_next_round_number(least):
    step = round_step(least)
    text = f"{step:.0e}"
    assert step == float(text) and text[0] in "125"
    assert step >= least * 0.999998
    # two and a half times at most, as from 2 to 5
    assert Fraction(step) <= Fraction(least) * Fraction("2.50001")


EXTREMES = [
    [-LARGEST, 0.0, LARGEST],
    [1e305, 3e306, 1.5e307],
    [0.0, 1.5e302, 2e302],
    [0.0, 1e-321, 3e-321],
]


@pytest.mark.parametrize("values", EXTREMES)
def test_a_bar_chart_of_numbers_at_the_ends_of_what_there_is(values):
    bound, _ = bound_to(values * 3)
    found = bars(bound, 1)
    assert 1 <= len(found.labels) <= 20
    assert len(found.of_code) == bound.n_codes
    assert max(found.of_code) < len(found.labels)


@pytest.mark.parametrize("values", [*EXTREMES[1:], [0.0, LARGEST]])
def test_a_line_of_numbers_at_the_ends_of_what_there_is(values):
    bound, _ = bound_to(values * 3)
    axis = Axis(bound.domain)
    places = [axis.place(value) for value in values]
    assert places == sorted(places) and 0 <= places[0] < places[-1] <= 1
