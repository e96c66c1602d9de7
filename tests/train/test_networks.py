"""The paper's two networks: what they copy, what they fill, what they may see."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.train.inpaint import fresh_networks  # noqa: E402
from sherd.train.networks import (  # noqa: E402
    RESIDUAL_RANGE,
    Discriminator,
    Generator,
    Judge,
    ModelConfig,
    SampleNorm,
    bridged,
    discriminator_view,
    hole_of,
    log_odds_and_cost,
    roughness,
)
from sherd.train.pairs import erase, known_masks  # noqa: E402

CPU = torch.device("cpu")
MASKS = known_masks(CPU)  # [9, 1, 64, 128]
EROSIONS = range(1, 9)


def pictures(count: int, seed: int = 0) -> torch.Tensor:
    """Noise in [-1, 1], float [count, 3, 64, 128]."""
    random = torch.Generator().manual_seed(seed)
    return torch.rand(count, 3, 64, 128, generator=random) * 2 - 1


@pytest.mark.parametrize(("width", "side"), [(64, 6), (60, 5), (56, 5)])
def test_the_discriminator_gives_a_map_of_patches(width: int, side: int) -> None:
    """A view of 64 x 64 becomes 6 x 6 logits, and fewer once the ring is cut off."""
    assert Discriminator(4)(torch.zeros(2, 3, width, 64)).shape == (2, 1, side, 6)


@pytest.mark.parametrize("erosion", EROSIONS)
@pytest.mark.parametrize("mask_channel", [False, True])
def test_known_pixels_are_copied_and_the_gap_is_generated(erosion: int, mask_channel: bool) -> None:
    """The output differs from the input in the gap and nowhere else."""
    config = ModelConfig(width=4, most=2, discriminator_width=4, mask_channel=mask_channel)
    generator, _ = fresh_networks(config, 1, CPU)
    known = MASKS[[erosion, erosion]]
    pixels = erase(pictures(2), known, config.fill)
    filled = generator(pixels, known)
    gap = hole_of(known).expand_as(pixels) > 0
    assert torch.equal(filled[~gap], pixels[~gap])
    assert (filled[gap] != pixels[gap]).float().mean() > 0.99
    assert gap[:, 0].sum() == 2 * (2 * erosion) * (64 - 2 * erosion)


@pytest.mark.parametrize("erosion", EROSIONS)
def test_a_residual_generator_starts_at_straight_lines(erosion: int) -> None:
    """Untrained it fills a ramp exactly, whatever lies under the lost pixels."""
    config = ModelConfig(width=4, most=2, discriminator_width=4, mask_channel=True, residual=True)
    generator, _ = fresh_networks(config, 1, CPU)
    ramp = torch.linspace(-1, 1, 128).expand(1, 3, 64, 128)
    known = MASKS[[erosion]]
    filled = generator(erase(ramp, known, 0.7), known)
    gap = hole_of(known).expand_as(ramp) > 0
    assert torch.allclose(filled[gap], ramp[gap], atol=1e-6)


def test_a_residual_is_what_painting_anew_would_be_times_the_roughness() -> None:
    """The same weights, once added to the lines; without the setting they are painted as ever."""
    config = ModelConfig(width=4, most=2, discriminator_width=4)
    known = MASKS[[2]]
    lines = bridged(pictures(1) / 20, known)
    generator, _ = fresh_networks(config, 1, CPU)
    residual = Generator(4, 2, residual=True)
    residual.load_state_dict(generator.state_dict())
    gap = hole_of(known).expand_as(lines) > 0
    scale = RESIDUAL_RANGE * roughness(lines, known)
    expected = lines + scale * generator(lines, known)
    assert torch.allclose(residual(lines, known)[gap], expected[gap], atol=1e-6)


def test_roughness_scales_with_contrast_and_ignores_lost_rows() -> None:
    """Half the contrast is half as rough; the outer rows, lost in both pieces, do not count."""
    lines, known = bridged(pictures(2), MASKS[[3, 3]]), MASKS[[3, 3]]
    rough = roughness(lines, known)
    assert rough.shape == (2, 1, 1, 1)
    assert torch.allclose(roughness(lines / 2, known), rough / 2)
    lines[:, :, :3] = 5.0
    assert torch.equal(roughness(lines, known), rough)


def test_lines_run_between_the_outermost_known_pixels_of_uneven_sides() -> None:
    """Every row has its own ends; a row lost in one piece takes the other's colour."""
    known = torch.zeros(1, 1, 3, 128)
    known[0, 0, 0, :60], known[0, 0, 0, 70:] = 1, 1
    known[0, 0, 1, :63], known[0, 0, 1, 64:] = 1, 1
    known[0, 0, 2, 66:] = 1
    pixels = torch.linspace(-1, 1, 128).expand(1, 3, 3, 128)
    filled = bridged(torch.where(known > 0, pixels, torch.full_like(pixels, 9.0)), known)
    assert torch.allclose(filled[:, :, :2], pixels[:, :, :2], atol=1e-6)
    assert torch.allclose(filled[:, :, 2, 32:66], pixels[0, 0, 0, 66])


def test_the_gap_is_where_the_pieces_meet() -> None:
    """Of the lost pixels only those around the middle, in rows that have known ones, are a gap."""
    gap = hole_of(MASKS[[2]])[0, 0]
    rows, columns = torch.nonzero(gap, as_tuple=True)
    assert (rows.min(), rows.max()) == (2, 61)
    assert (columns.min(), columns.max()) == (62, 65)


@pytest.mark.parametrize("model_erosion", [0, 3])
def test_the_ring_looks_alike_in_real_and_generated_pictures(model_erosion: int) -> None:
    """Outside the gap the discriminator sees the same of an original and of its filled pair."""
    erosion = model_erosion or 5
    config = ModelConfig(width=4, most=2, mask_channel=not model_erosion, erosion=model_erosion)
    generator, _ = fresh_networks(config, 1, CPU)
    original, known = pictures(2), MASKS[[erosion, erosion]]
    filled = generator(erase(original, known, config.fill), known)
    real = discriminator_view(original, known, model_erosion)
    generated = discriminator_view(filled, known, model_erosion)
    gap = discriminator_view(hole_of(known).expand_as(original), known, model_erosion) > 0
    assert torch.equal(real[~gap], generated[~gap])
    assert not torch.equal(real[gap], generated[gap])
    assert real.shape[2:] == (64 - 2 * model_erosion, 64)


def test_samples_are_normalised_one_by_one() -> None:
    """What else is in a batch changes nothing, in training as at test time."""
    norm = SampleNorm(3)
    both = pictures(2)
    assert torch.equal(norm(both)[:1], norm(both[:1]))
    assert torch.allclose(norm(both).mean((2, 3)), torch.zeros(2, 3), atol=1e-5)
    assert torch.allclose(norm(both).var((2, 3), correction=0), torch.ones(2, 3), atol=1e-3)
    assert torch.equal(norm.train()(both), norm.eval()(both))


def test_probabilities_and_logits_are_averaged_as_asked() -> None:
    """The cost is -log of the mean probability, or of the probability of the mean logit."""
    logits = torch.tensor([[1.0, -3.0, 0.5, 2.0]]).view(1, 1, 2, 2)
    for average, probability in (
        ("probabilities", torch.sigmoid(logits).mean()),
        ("logits", torch.sigmoid(logits.mean())),
    ):
        odds, cost = log_odds_and_cost(logits, average)
        assert torch.allclose(torch.exp(-cost), probability)
        assert torch.allclose(torch.sigmoid(odds), probability)


def test_a_hopeless_pair_has_a_finite_cost() -> None:
    """Where the probability rounds to zero, its -log is still told."""
    for average in ("probabilities", "logits"):
        _, cost = log_odds_and_cost(torch.full((1, 1, 6, 6), -300.0), average)
        assert torch.allclose(cost, torch.tensor([300.0]))


def test_a_judge_gives_one_cost_a_pair() -> None:
    """Generator and discriminator in a row give a positive cost and the filled picture."""
    judge = Judge(ModelConfig(width=4, most=2, discriminator_width=4, erosion=2))
    pixels = pictures(3)
    cost, filled = judge(pixels, MASKS[[2, 2, 2]])
    assert cost.shape == (3,)
    assert (cost > 0).all()
    assert filled.shape == pixels.shape


def test_the_paper_width_has_the_paper_channels() -> None:
    """Six levels of 64 to 512 channels, as the published generator has."""
    channels = [level[0].out_channels for level in Generator().encoder]
    assert channels == [64, 128, 256, 512, 512, 512]
