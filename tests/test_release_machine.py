"""A machine of releases: whatever is done to an anonymizer, what is written keeps k.

A step draws a table with hierarchies, fits any algorithm by any loss, with any
constraint, encoding and suppression; then releases are written, read back, transformed
again, pickled, copied, forgotten and refitted, in any order.
"""

import io
import pickle
import warnings

import naive_constraints
import numpy as np
import pandas as pd
from algorithms import ALGORITHMS
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from mixed_tables import covers, tables
from sklearn.base import clone
from test_promises import may_be_missing

from skanon import KAnonymizer, consistency
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.exceptions import InfeasibleError, PrivacyWarning
from skanon.losses import LM, PMI, ClassPenalty

PROMISES = [
    LDiversity(1.5),
    LDiversity(2, kind="distinct"),
    LDiversity(1.2, kind="entropy"),
    PSensitivity(2),
    TCloseness(0.5),
    AlphaKAnonymity(0.7),
    BetaLikeness(2),
    DeltaDisclosure(2),
]
LOSSES = ["lm", "ncp", "entropy", "mi", "byun", PMI(), LM() + 0.5 * ClassPenalty()]
ENCODINGS = ["label", "representative", "bounds", "distribution"]
MODELS = ["KKAnonymizer", "OneKAnonymizer", "NonHomogeneousAnonymizer"]
ILL = st.sampled_from(["flu", "cold", "gout", "-0", "1"])


class Releases(RuleBasedStateMachine):
    """One table, and what is done with its release."""

    fitted = None

    @initialize(table=tables(), data=st.data())
    def take_a_table(self, table, data):
        frame, self.hierarchies, self.trees, _ = table
        n = len(frame)
        ill = data.draw(st.lists(ILL, min_size=n, max_size=n))
        names = [f"name-{i}" for i in range(n)]
        index = data.draw(st.permutations(range(100, 100 + n)))
        frame = may_be_missing(frame).assign(ill=ill, note=ill[::-1], who=names)
        self.frame = frame.set_axis(index)
        self.public = [c for c in frame if c not in ("ill", "note", "who")]

    @rule(
        algorithm=st.sampled_from(["auto", *sorted(ALGORITHMS)]),
        k=st.integers(1, 6),
        loss=st.sampled_from(LOSSES),
        promise=st.sampled_from([None, *PROMISES]),
        encode=st.sampled_from(ENCODINGS),
        part=st.sampled_from([0, 0, 0.2, 0.6]),
        suppressed=st.sampled_from(["keep", "blank", "drop"]),
        refine=st.sampled_from([0, 3]),
        seed=st.integers(0, 3),
    )
    def fit(self, algorithm, k, loss, promise, encode, part, suppressed, refine, seed):
        self.promise, self.k = promise, min(k, len(self.frame))
        # an anonymizer is its parameters and no more
        self.fitted = KAnonymizer(
            self.k,
            algorithm=algorithm,
            loss=loss,
            hierarchies=self.hierarchies,
            quasi_identifiers=self.public,
            sensitive="ill",
            identifiers="who",
            constraints=[promise] if promise else [],
            encode=encode,
            max_suppression=part,
            suppressed=suppressed,
            refine=refine,
            random_state=seed,
            n_jobs=1,
        )
        self.release = self._released(self.fitted)
        if self.release is None:
            self.fitted = None

    def _released(self, anonymizer, frame=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            try:
                return anonymizer.fit_transform(self.frame if frame is None else frame)
            except InfeasibleError:
                return None

    @precondition(lambda self: self.fitted)
    @rule()
    def refit(self):
        again = clone(self.fitted)
        pd.testing.assert_frame_equal(self._released(again), self.release)
        assert again.information_loss_ == self.fitted.information_loss_

    @precondition(lambda self: self.fitted)
    @rule()
    def refit_with_two_jobs(self):
        parallel = clone(self.fitted).set_params(n_jobs=2)
        pd.testing.assert_frame_equal(self._released(parallel), self.release)

    @precondition(lambda self: self.fitted)
    @rule()
    def transform(self):
        pd.testing.assert_frame_equal(self.fitted.transform(self.frame), self.release)

    @precondition(lambda self: self.fitted)
    @rule(data=st.data())
    def transform_in_another_order(self, data):
        order = data.draw(st.permutations(range(len(self.frame))))
        release = self.fitted.transform(self.frame.iloc[order])
        self._count(release, self.fitted.labels_[order] < 0, order)
        kept = self.release.index
        in_order = [x for x in self.frame.index[order] if x in kept]
        pd.testing.assert_frame_equal(release, self.release.loc[in_order])

    @precondition(lambda self: self.fitted)
    @rule()
    def pickle(self):
        self.fitted = pickle.loads(pickle.dumps(self.fitted))

    @precondition(lambda self: self.fitted)
    @rule()
    def forget(self):
        gone = self.fitted.forget()
        told = pickle.dumps(gone)
        assert b"name-" not in told
        assert b"gout" not in told
        for name in ("_codes", "labels_", "_sensitive", "_index"):
            assert not hasattr(gone, name)
        low = gone.transform(self.frame.drop(columns=["ill", "who"]))
        assert len(low) == len(self.frame)

    @precondition(lambda self: self.fitted)
    @rule()
    def rows_and_the_rest_stay(self):
        hidden = self.fitted.suppressed_
        becomes = self.fitted.suppressed
        kept = self.frame[~hidden] if becomes == "drop" else self.frame
        assert self.release.index.tolist() == kept.index.tolist()
        assert "who" not in self.release
        for name in ("ill", "note"):
            expected = kept[name]
            if becomes == "blank":
                expected = expected.mask(hidden)
            pd.testing.assert_series_equal(self.release[name], expected)

    @precondition(lambda self: self.fitted and self.fitted.encode == "label")
    @rule()
    def labels_cover(self):
        if self.fitted.suppressed == "drop":
            return
        for name in self.public:
            column, tree = self.frame[name], self.trees.get(name)
            pairs = zip(self.release[name], column, strict=True)
            assert all(covers(label, x, column, tree) for label, x in pairs), name

    @precondition(lambda self: not self.trees)
    @rule(
        model=st.sampled_from(MODELS),
        k=st.integers(1, 4),
        encode=st.sampled_from(ENCODINGS),
    )
    def one_by_one(self, model, k, encode):
        k = min(k, len(self.frame))
        made = getattr(consistency, model)(
            k, hierarchies=self.hierarchies, quasi_identifiers=self.public
        )
        frame = self.frame[self.public]
        release = self._released(made, frame)
        fits = np.array(
            [
                [
                    all(
                        covers(label, value, frame[name], None)
                        for name, label, value in zip(
                            self.public, record, person, strict=True
                        )
                    )
                    for record in release.itertuples(index=False)
                ]
                for person in frame.itertuples(index=False)
            ]
        )
        assert fits.diagonal().all()
        assert fits.sum(axis=1).min() >= k
        if model == "KKAnonymizer":
            assert fits.sum(axis=0).min() >= k
        coded = made.set_params(encode=encode)
        assert len(self._released(coded, frame)) == len(frame)

    @invariant()
    def what_is_written_keeps_its_promise(self):
        if self.fitted:
            self._count(self.release, self.fitted.suppressed_, range(len(self.frame)))

    def _count(self, release, hidden, order):
        """Write a release and read it, as text and as pandas would."""
        file = release.to_csv(index=False)
        text = pd.read_csv(io.StringIO(file), dtype=str, keep_default_na=False)
        plain = pd.read_csv(io.StringIO(file))
        becomes = self.fitted.suppressed if hidden.any() else "keep"
        if becomes == "drop":
            order, hidden = np.array(order)[~hidden], hidden[~hidden]
        ill = self.frame["ill"].iloc[list(order)].to_numpy()
        published = ill[~hidden] if becomes == "blank" else ill
        for written in (text, plain):
            assert len(written) == len(ill)
            rows = written.drop(columns=["ill", "note"])
            classes = {}
            for at, row in enumerate(rows.astype(str).itertuples(index=False)):
                if not (becomes == "blank" and hidden[at]):
                    classes.setdefault(tuple(row), []).append(ill[at])
            assert all(len(members) >= self.k for members in classes.values())
            if self.promise and classes:
                listed = list(classes.values())
                assert naive_constraints.all_kept(self.promise, listed, list(published))


TestReleases = Releases.TestCase
EXPLORING = settings.get_current_profile_name() == "explore"
TestReleases.settings = settings(
    max_examples=10_000 if EXPLORING else 200, stateful_step_count=8, deadline=None
)
