"""One call for the whole picture of a release: ``anonymizer.report()``."""

from skanon.report._report import Report, make_report

__all__ = ["Report", "make_report"]
