"""What every test of the PyTorch package starts from: its own random numbers, and one thread."""

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import torch

# What reads the project's pages is shared with their own tests.
sys.path.append(str(Path(__file__).resolve().parents[1] / "docs"))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> torch.Generator:
    """Random numbers that depend on the test's name and parameters alone."""
    return torch.Generator().manual_seed(zlib.crc32(request.node.name.encode()))


@pytest.fixture(autouse=True)
def one_thread():
    """Tests do not depend on what an earlier one left behind in torch."""
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def onnx_runtime():
    """Runs an ONNX file in onnxruntime-web: onnx_runtime(file, {name: tensor}) -> {name: tensor}"""
    modules = os.environ.get("SOFTRADIAL_NODE_MODULES", "")
    if not Path(modules, "onnxruntime-web").is_dir():
        pytest.skip("SOFTRADIAL_NODE_MODULES does not name a folder with onnxruntime-web")
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    script = Path(__file__).parent / "node" / "feed.mjs"

    def run(file, inputs):
        feeds = {
            name: {"type": str(tensor.dtype)[6:], "dims": list(tensor.shape), "data": tensor.flatten().tolist()}
            for name, tensor in inputs.items()
        }
        done = subprocess.run(
            ["node", str(script), str(file), modules], input=json.dumps(feeds), capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        outputs = json.loads(done.stdout)
        if "error" in outputs:
            raise RuntimeError(outputs["error"])
        return {
            name: torch.tensor([float("nan") if v is None else v for v in output["data"]]).reshape(output["dims"])
            for name, output in outputs.items()
        }

    return run
