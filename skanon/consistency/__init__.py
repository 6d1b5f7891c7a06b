"""Records generalized one by one, so that each is consistent with enough others."""

from skanon.consistency._base import ConsistencyAnonymizer
from skanon.consistency._global_one_k import GlobalOneKAnonymizer
from skanon.consistency._k_one import KOneAnonymizer
from skanon.consistency._kk import KKAnonymizer
from skanon.consistency._non_homogeneous import NonHomogeneousAnonymizer
from skanon.consistency._one_k import OneKAnonymizer

__all__ = [
    "ConsistencyAnonymizer",
    "GlobalOneKAnonymizer",
    "KKAnonymizer",
    "KOneAnonymizer",
    "NonHomogeneousAnonymizer",
    "OneKAnonymizer",
]
