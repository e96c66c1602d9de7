"""Training of the gap-filling scorer; the only part of the package that needs PyTorch."""
