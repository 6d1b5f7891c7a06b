"""The algorithms that take tables of any size."""

from skanon.clustering import ALGORITHMS as ALL

ALGORITHMS = {name: made for name, made in ALL.items() if name != "optimal"}
