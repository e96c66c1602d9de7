"""`sherd info`: versions, devices, cores, weights."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version

import click

__all__ = ["command"]

_PACKAGES = ("sherd", "numpy", "pillow", "onnxruntime", "click", "rich", "torch")


@click.command("info")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Show versions, devices, cores and weights: what a report of a problem should contain."""
    facts = _facts()
    if as_json:
        click.echo(json.dumps(facts))
        return
    for name, fact in facts.items():
        click.echo(f"{name:<12} {', '.join(fact) if isinstance(fact, list) else fact}")


def _facts() -> dict[str, str | list[str]]:
    from sherd.runtime import choose_device
    from sherd.weights import shipped_weights

    facts: dict[str, str | list[str]] = {name: _version(name) for name in _PACKAGES}
    facts["python"] = f"{platform.python_implementation()} {platform.python_version()}"
    facts["system"] = platform.platform()
    facts["cores"] = str(len(os.sched_getaffinity(0)))
    facts["device"] = choose_device("auto")
    facts["weights"] = list(shipped_weights()) or "none"
    return facts


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
