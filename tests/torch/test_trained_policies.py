"""What `softradial train` has trained decides as `softradial predict` says, in every form; docs/policies.md runs."""

import csv
import datetime
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import softradial as sr
from pages import blocks
from support.judge import ulp

SOURCES = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SOFTRADIAL_PROGRAM", "")
MODULES = os.environ.get("SOFTRADIAL_NODE_MODULES", "")
EXAMPLE = os.environ.get("SOFTRADIAL_TRAINED_POLICY", "")
METHODS = [
    "soft_radial", "hard_radial", "gauge_map", "equal_weight", "softmax", "orthogonal", "dc3", "hardnet", "rayen",
    "ray_scalar", "hop", "soft_penalty", "mirror", "soft_orthogonal",
]

# As in test_policy.py: the program's network has other kernels than torch's, in single precision.
NETWORK = 16 * ulp(torch.float32)

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.skipif(not PROGRAM, reason="SOFTRADIAL_PROGRAM is not set")]


# The program knows where its Python package is.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command, cwd=None, code=0):
    """stdout, or stderr where another code than 0 is expected."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=ENVIRONMENT, timeout=600)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


def table(file, names):
    """The columns of these names, (rows, names), and the first column."""
    with open(file) as lines:
        rows = list(csv.reader(lines))
    columns = [rows[0].index(name) for name in names]
    numbers = [[float(row[column]) for column in columns] for row in rows[1:]]
    return torch.tensor(numbers, dtype=torch.float64), [row[0] for row in rows[1:]]


def decision(printed, names, column=1):
    """A column of what predict printed, in the order of the names."""
    rows = {row[0]: float(row[column]) for row in csv.reader(printed.splitlines()[1:])}
    return torch.tensor([rows[name] for name in names])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def prices(folder):
    run(PROGRAM, "data", "generate", "synthetic:sectors", "--out", folder / "prices.csv")
    return folder / "prices.csv"


@pytest.fixture(scope="module")
def demand(folder):
    run(PROGRAM, "data", "generate", "synthetic:taxi", "--zones", "12", "--out", folder / "demand.csv")
    return folder / "demand.csv"


def train(task, out, *flags):
    run(PROGRAM, "train", task, "--epochs", "2", "--hidden", "8", "--out", out, *flags)
    return out


@pytest.fixture(scope="module")
def portfolio(folder, prices):
    return train("portfolio", folder / "portfolio", "--prices", prices, "--cap", "0.3", "--seed", "3", "--seeds", "3")


@pytest.fixture(scope="module")
def dispatch(folder, demand):
    return train("dispatch", folder / "dispatch", "--demand", demand, "--zones", "12", "--kappa", "0.2")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_decides_as_predict_says(method, folder, prices):
    out = train("portfolio", folder / method, "--prices", prices, "--cap", "0.3", "--method", method, "--lookback", "7")
    policy = sr.load_policy(out)
    assert policy.days_needed == 14 and policy.config["method"] == method
    weights = decision(run(PROGRAM, "predict", "--model", out, "--prices", prices), policy.names)
    given, _ = table(prices, policy.names)
    assert torch.allclose(policy(given), weights, rtol=0, atol=NETWORK)
    run(PROGRAM, "export", "--model", out, "--format", "torchscript", "--out", folder / f"{method}.pt")
    assert torch.allclose(torch.jit.load(str(folder / f"{method}.pt"))(given), weights, rtol=0, atol=NETWORK)


def test_the_best_seed_or_another_one(portfolio, prices):
    manifest = json.loads((portfolio / "manifest.json").read_text())
    assert manifest["seeds"] == [3, 4, 5]
    given, _ = table(prices, manifest["names"])
    by_seed = {seed: sr.load_policy(portfolio, seed=seed)(given) for seed in manifest["seeds"]}
    assert torch.equal(sr.load_policy(portfolio)(given), by_seed[manifest["best_seed"]])
    assert len({tuple(weights.tolist()) for weights in by_seed.values()}) == 3
    for seed, weights in by_seed.items():
        file = portfolio / f"seed-{seed}" / "model.safetensors"
        assert torch.equal(sr.load_policy(file)(given), weights)
        for words in (("--model", file), ("--model", portfolio, "--seed", seed)):
            printed = run(PROGRAM, "predict", *words, "--prices", prices)
            assert torch.allclose(decision(printed, manifest["names"]), weights, rtol=0, atol=NETWORK)


def recorded(folder, names):
    """The decisions that the training recorded for validation and test, (rows, names), and their days or hours."""
    rows, times = table(folder / "decisions.csv", names)
    return rows.float(), times


def test_the_decisions_of_every_day(portfolio, prices):
    """Each from its own window, as one who decides day by day has it."""
    policy = sr.load_policy(portfolio, seed=4)
    weights, days = recorded(portfolio / "seed-4", policy.names)
    given, dates = table(prices, policy.names)
    windows = given.unfold(0, policy.days_needed, 1).transpose(1, 2)
    first = dates.index(days[0]) - policy.days_needed + 1
    decided = policy(windows[first : first + len(days)])
    assert len(days) > 1000 and dates[-1] == days[-1] and weights.std(0).max() > 1e-4
    assert torch.allclose(decided, weights, rtol=0, atol=NETWORK)
    assert policy.set.violation(decided).max() == 0


def test_the_decisions_of_every_hour(dispatch, demand):
    policy = sr.load_policy(dispatch)
    shares, hours = recorded(dispatch / "seed-0", policy.names)
    given, times = table(demand, policy.names)
    windows = given.unfold(0, policy.hours_needed, 1).transpose(1, 2)
    first = times.index(hours[0]) - policy.hours_needed
    when = [datetime.datetime.fromisoformat(hour) for hour in hours]
    decided = policy(windows[first : first + len(hours)], [t.hour for t in when], [t.weekday() for t in when])
    assert len(hours) > 1000 and times[-1] == hours[-1] and shares.std(0).max() > 1e-4
    assert torch.allclose(decided, shares, rtol=0, atol=NETWORK)


def test_limits_as_a_set(folder, prices):
    names = next(csv.reader(open(prices)))[1:]
    limits = {
        "type": "intersection",
        "sets": [
            {"type": "capped_simplex", "dim": len(names), "cap": 0.3},
            {"type": "polyhedron", "A": [[1, 1, 1] + [0] * (len(names) - 3)], "b": [0.25]},
        ],
    }
    (folder / "limits.json").write_text(json.dumps(limits))
    out = train("portfolio", folder / "limits", "--prices", prices, "--set", folder / "limits.json")
    policy = sr.load_policy(out)
    given, _ = table(prices, policy.names)
    weights = policy(given)
    printed = run(PROGRAM, "predict", "--model", out, "--prices", prices)
    assert torch.allclose(decision(printed, policy.names), weights, rtol=0, atol=NETWORK)
    assert policy.set.violation(weights) == 0 and weights[[policy.names.index(name) for name in names[:3]]].sum() < 0.25


LIMITS = """
cap = 0.3
floor = 0.01
[caps]
SEC01 = 0.05
[groups.growth]
members = ["SEC03", "SEC04"]
min = 0.1
max = 0.4
[turnover]
max = 0.3
reference = "equal"
[tracking]
max = 0.2
reference = "equal"
"""


def test_limits_by_name(folder, prices, onnx_runtime):
    """Caps, floors, groups, a 1-norm and a Euclidean ball together, down to ONNX."""
    (folder / "limits.toml").write_text(LIMITS)
    out = train("portfolio", folder / "by_name", "--prices", prices, "--set", folder / "limits.toml")
    policy = sr.load_policy(out)
    given, _ = table(prices, policy.names)
    weights = policy(given)
    assert policy.set.violation(weights) == 0 and weights[policy.names.index("SEC01")] < 0.05
    printed = run(PROGRAM, "predict", "--model", out, "--prices", prices)
    assert torch.allclose(decision(printed, policy.names), weights, rtol=0, atol=NETWORK)
    run(PROGRAM, "export", "--model", out, "--format", "onnx", "--out", folder / "by_name.onnx")
    window = given[-policy.days_needed :].unsqueeze(0)
    in_onnx = onnx_runtime(folder / "by_name.onnx", {"prices": window})["weights"]
    assert torch.allclose(in_onnx[0], weights, rtol=0, atol=NETWORK)
    assert policy.set.violation(in_onnx).max() == 0


def test_a_policy_in_c_plus_plus(portfolio, prices, folder):
    if not EXAMPLE:
        pytest.skip("SOFTRADIAL_TRAINED_POLICY does not name the example")
    run(PROGRAM, "export", "--model", portfolio, "--format", "torchscript", "--out", folder / "policy.pt")
    policy = sr.load_policy(portfolio)
    printed = "head\n" + run(EXAMPLE, folder / "policy.pt", prices)
    assert torch.allclose(decision(printed, policy.names), policy(table(prices, policy.names)[0]), rtol=0, atol=NETWORK)


def test_a_policy_for_demand(dispatch, demand):
    policy = sr.load_policy(dispatch)
    given, times = table(demand, policy.names)
    when = datetime.datetime.fromisoformat(times[-1]) + datetime.timedelta(hours=1)
    printed = run(PROGRAM, "predict", "--model", dispatch, "--demand", demand)
    shares = policy(given, when.hour, when.weekday())
    assert policy.set.violation(shares) == 0
    assert torch.allclose(decision(printed, policy.names), shares, rtol=0, atol=NETWORK)
    allocation = policy.allocation(given, when.hour, when.weekday())
    assert torch.allclose(decision(printed, policy.names, 2), allocation, rtol=0, atol=NETWORK * float(given[-1].sum()))
    page = {}
    (text,) = [block.text for block in blocks("docs/policies.md") if "def decide" in block.text]
    exec(text, page)
    assert torch.allclose(page["decide"](policy, given, when), given[-1].sum().float() * shares)


def test_what_the_export_command_refuses(portfolio, folder, tmp_path):
    model = portfolio / "seed-3" / "model.safetensors"
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(model.read_bytes()[:-1])
    no_torch = tmp_path / "python"
    no_torch.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    no_torch.chmod(0o755)
    good = {"--model": portfolio, "--format": "onnx", "--out": tmp_path / "policy.onnx"}
    cases = [
        ({"--model": tmp_path / "none"}, "none: no such file or folder"),
        ({"--model": tmp_path}, "has no manifest.json"),
        ({"--model": broken}, "broken.safetensors: "),
        ({"--seed": "77"}, "has no seed 77"),
        ({"--seed": "-1"}, "--seed"),
        ({"--format": "pickle"}, "--format"),
        ({"--out": tmp_path / "none" / "policy.onnx"}, "none: no such folder"),
        ({"--out": tmp_path}, "is a folder"),
        ({"--python": tmp_path / "no_python"}, "no_python with torch is needed"),
        ({"--python": no_torch}, "python with torch is needed"),
    ]
    for change, message in cases:
        words = [word for flag in {**good, **change}.items() for word in flag]
        text = run(PROGRAM, "export", *words, code=2)
        assert text.startswith("softradial: error: ") and text.count("\n") == 1 and message in text, text
    assert not (tmp_path / "policy.onnx").exists()
    assert "Examples:" in run(PROGRAM, "export", "--help")


def test_nothing_is_imported_from_the_current_folder(portfolio, tmp_path):
    for name in ("torch", "json", "argparse", "softradial"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')")
    run(PROGRAM, "export", "--model", portfolio, "--format", "onnx", "--out", "policy.onnx", cwd=tmp_path)
    assert (tmp_path / "policy.onnx").exists()


def test_an_installed_program_has_its_package(portfolio, tmp_path):
    """bin/ and lib/ as cmake --install lays them down; without the package, Python's own is asked for."""
    (tmp_path / "bin").mkdir()
    program = shutil.copy(PROGRAM, tmp_path / "bin" / "softradial")
    words = ["export", "--model", portfolio, "--format", "onnx", "--out", tmp_path / "policy.onnx"]
    text = run(program, *words, "--python", sys.executable, code=2)
    assert "No module named 'softradial'" in text and text.count("\n") == 1, text
    shutil.copytree(Path(sr.__file__).parent, tmp_path / "lib" / "python3" / "dist-packages" / "softradial")
    assert "(batch, 20, 9)" in run(program, *words)


# ---------------------------------------------------------------------------------------------------- docs/policies.md


def test_the_page_runs_as_it_stands(tmp_path, monkeypatch):
    """Commands and programs in their order, in one folder; all of them find the same weights."""
    environment = {**ENVIRONMENT, "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"}
    session = {}
    runtime = Path(MODULES, "onnxruntime-web").is_dir() and shutil.which("node")
    if runtime:
        (tmp_path / "node_modules").symlink_to(Path(MODULES).resolve())
    found = {}
    monkeypatch.chdir(tmp_path)
    page = blocks("docs/policies.md")
    assert len(page) >= 8
    for block in page:
        language, text, needs = block.language, block.text, "".join(block.needs)
        if language == "sh":
            subprocess.run(text, shell=True, check=True, env=environment, cwd=tmp_path, capture_output=True)
        elif language == "python" and (not needs or _has(needs)):
            exec(text, session)
            found[language + needs] = torch.as_tensor(session["weights"]).flatten()
        elif language == "js" and runtime:
            text += "console.log(JSON.stringify(Array.from(weights.data)));\nprocess.exit(0);\n"
            (tmp_path / "policy.mjs").write_text(text)
            found[language] = torch.tensor(json.loads(run("node", "policy.mjs", cwd=tmp_path)))
        elif language == "cpp":
            assert text in (SOURCES / "examples" / "torch" / "trained_policy.cpp").read_text()
    expected = decision((tmp_path / "weights.csv").read_text(), session["policy"].names)
    found["history"] = session["history"][-1]
    for name, weights in found.items():
        assert torch.allclose(weights, expected, rtol=0, atol=NETWORK), name


def _has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0
