"""What can go wrong, as a small tree. Every message says what, where, and the cure.

    SherdError
    ├── InputError      pieces, pictures or saved files that cannot be read or do not fit together
    ├── OptionError     options that contradict each other or the pieces
    ├── OutputError     a result that cannot be written (exists already, read-only, disk full)
    ├── WeightsError    network weights that are missing, of another version, or damaged
    └── DeviceError     a device was asked for that this machine does not have

The library raises and never exits; the command line turns each of these into one line on
standard error and exit code 2.
"""

__all__ = ["DeviceError", "InputError", "OptionError", "OutputError", "SherdError", "WeightsError"]


class SherdError(Exception):
    """Root of all errors that sherd raises on purpose."""


class InputError(SherdError):
    """Pieces, pictures or saved files that cannot be read or do not fit together."""


class OptionError(SherdError):
    """Options that contradict each other or the pieces."""


class OutputError(SherdError):
    """A result that cannot be written."""


class WeightsError(SherdError):
    """Network weights that are missing, of another version, or damaged."""


class DeviceError(SherdError):
    """A device was asked for that this machine does not have."""
