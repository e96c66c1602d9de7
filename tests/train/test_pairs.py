"""Pairs and candidates drawn for training: true where they say so, never true where not."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.train.boards import (  # noqa: E402
    BoardConfig,
    border_distance,
    draw_candidates,
    pick_candidates,
)
from sherd.train.pairs import (  # noqa: E402
    Dice,
    draw_erosions,
    draw_seams,
    erase,
    known_masks,
    recolour,
)
from sherd.train.photos import PhotoStore  # noqa: E402

CPU = torch.device("cpu")


def noise_store() -> PhotoStore:
    """Two photographs of noise: no two places in them look alike."""
    rng = np.random.default_rng(5)
    sizes = [(150, 200), (210, 130)]
    return PhotoStore([rng.integers(0, 256, (3, *size), dtype=np.uint8) for size in sizes], CPU)


def painted_store() -> PhotoStore:
    """Two painted photographs that hold a small board."""
    photos = [paint(200, 264, seed).transpose(2, 0, 1) for seed in (1, 2)]
    return PhotoStore([np.ascontiguousarray(photo) for photo in photos], CPU)


def test_negatives_keep_one_piece_and_never_show_the_true_neighbour() -> None:
    """One half of each negative is the positive's, the other is neither piece of the pair."""
    seams = draw_seams(noise_store(), Dice(CPU, 3), 200)
    true, false = (pair.unflatten(3, (2, 64)) for pair in (seams.positive, seams.negative))
    same = (true == false).flatten(1, 2).all(1).all(2)  # [200, 2] per half
    assert (same.sum(1) == 1).all()
    for half in (0, 1):
        other = false[:, :, :, half]
        replaced = ~same[:, half]
        assert replaced.any()
        for ours in (true[:, :, :, 0], true[:, :, :, 1]):
            assert not (other == ours).flatten(1).all(1)[replaced].any()


def test_positives_are_two_neighbouring_pieces() -> None:
    """A horizontal ramp runs on across every pair, laid down or not, mirrored or not."""
    ramp = np.add.outer(np.arange(200), np.arange(200)) // 2
    store = PhotoStore([np.broadcast_to(ramp, (3, 200, 200)).astype(np.uint8).copy()], CPU)
    pairs = draw_seams(store, Dice(CPU, 1), 50, with_negatives=False).positive * 127.5
    steps = pairs[:, 0, :, 64] - pairs[:, 0, :, 63]
    assert steps.abs().max() < 1.1


def test_erosions_cover_one_to_eight() -> None:
    """A model for every erosion sees all of them."""
    assert set(draw_erosions(Dice(CPU, 0), 500).tolist()) == set(range(1, 9))


def test_erasing_leaves_known_pixels() -> None:
    """Lost pixels take the fill colour, known ones stay."""
    known = known_masks(CPU)[[3]]
    erased = erase(torch.ones(1, 3, 64, 128), known, -1.0)
    assert torch.equal(erased, known.expand(1, 3, -1, -1) * 2 - 1)


def test_colours_stay_in_range_and_differ() -> None:
    """Varied colours are colours, and most pictures are changed."""
    original = torch.rand(40, 3, 64, 64) * 2 - 1
    varied = recolour(original, Dice(CPU, 0))
    assert varied.min() >= -1
    assert varied.max() <= 1
    assert (varied - original).abs().flatten(1).amax(1).gt(0.01).float().mean() > 0.5


def test_candidates_hold_the_true_piece_once_and_never_the_anchor() -> None:
    """The true piece comes first, no piece twice, and not the one that looks for a neighbour."""
    config = BoardConfig(rows=3, columns=4, boards=2, anchors=6, hard=4, easy=3)
    cost = torch.rand(2, 6, 12, generator=torch.Generator().manual_seed(0))
    true, anchor = torch.arange(6).repeat(2, 1), torch.arange(6, 12).repeat(2, 1)
    picked = pick_candidates(cost, true, anchor, Dice(CPU, 0), config)
    assert torch.equal(picked[..., 0], true)
    assert not (picked == anchor[..., None]).any()
    assert all(len(set(row.tolist())) == config.group for row in picked.flatten(0, 1))


def test_likely_candidates_are_cheap() -> None:
    """Hard negatives cost less than pieces drawn uniformly."""
    config = BoardConfig(boards=1, anchors=40, hard=3, easy=3)
    cost = torch.rand(1, 40, 48, generator=torch.Generator().manual_seed(0))
    true, anchor = torch.zeros(1, 40, dtype=torch.long), torch.ones(1, 40, dtype=torch.long)
    picked = pick_candidates(cost, true, anchor, Dice(CPU, 0), config)
    drawn = cost.gather(2, picked)
    assert drawn[..., 1:4].mean() < drawn[..., 4:].mean() - 0.1


def test_the_cheap_distance_knows_a_smooth_seam() -> None:
    """On a smooth ramp the true right neighbour is the closest."""
    ramp = torch.linspace(-1, 1, 4 * 64).expand(3, 64, -1)
    pieces = ramp.unflatten(2, (4, 64)).permute(2, 0, 1, 3)  # [4, 3, 64, 64]
    bank = torch.stack([pieces, pieces])[None]
    distance = border_distance(bank, torch.tensor([2]))
    assert distance[0, 0, :3].argmin(1).tolist() == [1, 2, 3]


def test_groups_share_the_piece_that_looks() -> None:
    """In every group one half is the same piece throughout, the other always another one."""
    config = BoardConfig(rows=3, columns=4, boards=2, anchors=5, hard=3, easy=1)
    drawn = draw_candidates(painted_store(), Dice(CPU, 0), config, erosion=2)
    groups = drawn.original.unflatten(0, (-1, config.group)).unflatten(4, (2, 64))
    assert drawn.known.shape == (len(drawn.original), 1, 64, 128)
    assert len(groups) == 10
    halves = (groups == groups[:, :1]).permute(0, 1, 4, 2, 3, 5).flatten(3).all(3)  # [S, K, 2]
    assert (halves[:, 1:].sum(2) == 1).all()
