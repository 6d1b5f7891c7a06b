"""What a clustering algorithm is given."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from skanon._table.schema import Schema
from skanon.constraints._bound import BoundConstraint, of_records


@dataclass(frozen=True)
class Problem:
    """What a clustering algorithm is given.

    Attributes
    ----------
    schema : Schema
        The quasi-identifiers' permissible subsets and costs.
    codes : ndarray of int32, shape (n, r)
        The records.
    sensitive : ndarray of int32, shape (n,)
        The numbers of their sensitive values; all 0 where the loss looks at none.
    k : int
        At least 2 and at most n.
    random_state : RandomState
    n_jobs : int or None
    verbose : int
    bound_constraints : list of BoundConstraint
        What clusters must keep beyond k. An algorithm need not look at them, since
        clusters that break one are united with others afterwards.
    """

    schema: Schema
    codes: np.ndarray
    sensitive: np.ndarray
    k: int
    random_state: np.random.RandomState
    n_jobs: int | None
    verbose: int
    bound_constraints: list[BoundConstraint] = field(default_factory=list)

    def part(self, records: np.ndarray, seed: int | None = None) -> Problem:
        """Make the problem of some of the records, to be solved in one thread.

        Parameters
        ----------
        records : ndarray of int, shape (m,)
        seed : int, or None
            Of its random numbers; None: drawn from this problem's.
        """
        if seed is None:
            seed = self.random_state.randint(2**31 - 1)
        return replace(
            self,
            codes=self.codes[records],
            sensitive=self.sensitive[records],
            random_state=np.random.RandomState(seed),
            n_jobs=1,
            verbose=0,
            bound_constraints=of_records(self.bound_constraints, records),
        )
