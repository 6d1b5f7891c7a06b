"""From classes to a checked release."""
