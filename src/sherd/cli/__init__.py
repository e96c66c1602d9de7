"""The command line: `sherd solve | cut | eval | render | bench | train | info`.

One command a file, loaded when it is called. The only place that prints and exits.
"""

from sherd.cli.main import main

__all__ = ["main"]
