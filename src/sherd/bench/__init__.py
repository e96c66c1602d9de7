"""The benchmark: a protocol is run once, its predictions are saved, and only those are judged."""
