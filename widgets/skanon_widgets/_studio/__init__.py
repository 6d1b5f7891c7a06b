"""From a table to a release."""
