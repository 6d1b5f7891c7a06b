"""Looking at a release."""
