"""Tables to try things on, each with ready hierarchies; no network is needed."""

from skanon.datasets._art import make_art
from skanon.datasets._uci import load_adult, load_cmc

__all__ = ["load_adult", "load_cmc", "make_art"]
