"""Records generalized one by one, so that each is consistent with enough others."""

from skanon.consistency._base import ConsistencyAnonymizer
from skanon.consistency.global_one_k import GlobalOneKAnonymizer
from skanon.consistency.k_one import KOneAnonymizer
from skanon.consistency.kk import KKAnonymizer
from skanon.consistency.non_homogeneous import NonHomogeneousAnonymizer
from skanon.consistency.one_k import OneKAnonymizer

__all__ = [
    "ConsistencyAnonymizer",
    "GlobalOneKAnonymizer",
    "KKAnonymizer",
    "KOneAnonymizer",
    "NonHomogeneousAnonymizer",
    "OneKAnonymizer",
]
