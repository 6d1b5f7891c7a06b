"""``python -m skanon`` does what the command ``skanon`` does."""

import sys

from skanon._cli import main

if __name__ == "__main__":
    sys.exit(main())
