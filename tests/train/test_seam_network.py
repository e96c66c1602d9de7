"""The seam network: adopted names, export, and what the ONNX files compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.errors import InputError  # noqa: E402
from sherd.runtime import Network  # noqa: E402
from sherd.train import adopt  # noqa: E402
from sherd.train.adopt import adopt_prototype  # noqa: E402
from sherd.train.export_seam import ENCODER_FILE, JOINT_FILE  # noqa: E402
from sherd.train.seam_network import EncodedSides, SeamNetwork  # noqa: E402
from sherd.weights import find_weights  # noqa: E402


def prototype_name(name: str) -> str:
    """Translate a name of this network to the prototype's, the other way round."""
    if name == "log_scale":
        return "scale"
    place = {ours: theirs for theirs, ours in adopt._PREFIXES.items()}
    ours = max((prefix for prefix in place if name.startswith(prefix)), key=len)
    rest = name[len(ours) :]
    for whole, short in (("first", "a n1"), ("second", "b n2")):
        convolution, norm = short.split()
        rest = rest.replace(f"{whole}.convolution", convolution).replace(f"{whole}.norm", norm)
    return place[ours] + rest.replace("0.convolution", "0").replace("0.norm", "1")


@pytest.fixture(scope="module")
def network() -> SeamNetwork:
    """A network whose weights are what half precision can hold, with moved norms."""
    torch.manual_seed(1)
    network = SeamNetwork()
    for name, value in network.state_dict().items():
        if name.endswith("running_mean"):
            value.normal_(0, 0.1)
        elif name.endswith("running_var"):
            value.uniform_(0.5, 2)
        if value.is_floating_point():
            value.copy_(value.half().float())
    return network.eval()


@pytest.fixture(scope="module")
def exported(network: SeamNetwork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the command made of the network, put down under the prototype's names."""
    folder = tmp_path_factory.mktemp("exported")
    state = {prototype_name(name): value.half() for name, value in network.state_dict().items()}
    torch.save(state, folder / "prototype.pt")
    adopt.main([str(folder / "prototype.pt"), str(folder)])
    return folder


def test_adopted_names(network: SeamNetwork) -> None:
    """Every name of a prototype's state dict finds its place, with its value."""
    ours = network.state_dict()
    prototype = {prototype_name(name): value.half() for name, value in ours.items()}
    assert len(prototype) == len(ours)
    assert "enc.s2.1.n1.weight" in prototype
    adopted = adopt_prototype(prototype).state_dict()
    for name, value in ours.items():
        torch.testing.assert_close(adopted[name], value)


def test_export_equals_pytorch(network: SeamNetwork, exported: Path) -> None:
    """Features, embeddings and logits of the ONNX files are PyTorch's to 1e-3."""
    sides = torch.rand(3, 4, 64, 64) * 2 - 1
    encoder, joint = Network(exported / ENCODER_FILE), Network(exported / JOINT_FILE)
    outputs = encoder(sides=sides.numpy())
    with torch.no_grad():
        encoded = network.encoder(sides)
        other = EncodedSides(*(table.flip(0) for table in encoded))
        logits = network.joint(encoded, other)
    for ours, theirs in zip(outputs, encoded, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-3)
    features, embedding, context = outputs
    (read,) = joint(
        first=features,
        second=features[::-1].copy(),
        first_context=context,
        second_context=context[::-1].copy(),
        first_embedding=embedding,
        second_embedding=embedding[::-1].copy(),
    )
    np.testing.assert_allclose(read, logits.numpy(), atol=1e-3)


def test_norms_at_test_time(network: SeamNetwork) -> None:
    """Scaling the convolution's weights gives what a convolution and a batch norm give."""
    block = network.encoder.near[0][0]
    x = torch.rand(2, 4, 8, 8)
    with torch.no_grad():
        torch.testing.assert_close(block(x), block.norm(block.convolution(x)))


def test_no_traces_of_the_machine(exported: Path) -> None:
    """The files hold weights in half precision and no path of where they were made."""
    for name in (ENCODER_FILE, JOINT_FILE):
        assert str(Path(adopt.__file__).parent).encode() not in (exported / name).read_bytes()
    total = sum((exported / name).stat().st_size for name in (ENCODER_FILE, JOINT_FILE))
    assert total < 9e6


def test_pedigree(exported: Path) -> None:
    """The command writes whole weights with their facts."""
    weights = find_weights("seam", exported)
    assert set(weights.files) == {ENCODER_FILE, JOINT_FILE}
    assert weights.pedigree["embedding_scale"] == pytest.approx(np.exp(2.5), rel=1e-3)


def test_no_prototype(tmp_path: Path) -> None:
    """A wrong path is told."""
    with pytest.raises(InputError, match=r"none\.pt"):
        adopt.main([str(tmp_path / "none.pt"), str(tmp_path)])
