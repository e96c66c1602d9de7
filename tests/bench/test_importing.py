"""`import sherd` stays cheap."""

import subprocess
import sys


def test_import_sherd_pulls_in_nothing_heavy():
    """Neither torch, scipy, matplotlib nor numpy is loaded by `import sherd`."""
    code = "import sys, sherd; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "sherd" in loaded
    assert not loaded & {"torch", "scipy", "matplotlib", "numpy", "onnxruntime", "PIL", "rich"}
