"""`python -m sherd.train` is `sherd train`, where sherd is on the path but not installed."""

import sys

from sherd.cli.main import main

if __name__ == "__main__":
    main(["train", *sys.argv[1:]])
