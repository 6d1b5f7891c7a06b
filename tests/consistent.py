"""The anonymizers of records one by one, and how to fit them in silence."""

import functools
import warnings

from skanon import consistency
from skanon.exceptions import PrivacyWarning

CLASSES = {
    name: getattr(consistency, name)
    for name in consistency.__all__
    if name != "ConsistencyAnonymizer"
}


def safe(anonymizer):
    """Silence the warning that half of a model is unsafe by itself."""
    fit = anonymizer.fit

    @functools.wraps(fit)
    def silent(*args, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            return fit(*args, **options)

    anonymizer.fit = silent
    return anonymizer
