"""Model files that are not as they were written never load: each is a ValueError in one line that names the file."""

import json
import os
import struct

import pytest
import torch

import softradial as sr
from support import model_files

SET = {"type": "capped_simplex", "dim": 2, "cap": 0.8}


@pytest.fixture
def model(rng):
    return model_files.portfolio(rng, SET, lookback=1, hidden=1)


@pytest.fixture
def written(model):
    return model_files.model_file(*model)


def refusal(path):
    """Why a file does not load."""
    with pytest.raises(ValueError) as error:
        sr.load_policy(path)
    text = str(error.value)
    assert text.startswith(f"{path}: ") and "\n" not in text and len(text) < 400, text
    return text[len(f"{path}: ") :]


def test_the_file_itself_loads(written, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(written)
    assert sr.load_policy(path).names == ["A0", "A1"]


def test_truncated_at_every_length_and_with_more_at_the_end(written, tmp_path):
    path = tmp_path / "model.safetensors"
    for length in range(len(written)):
        path.write_bytes(written[:length])
        refusal(path)
    for more in (b"\0", b"\0" * 8, written):
        path.write_bytes(written + more)
        refusal(path)


def test_every_bit_counts(written, tmp_path):
    """Also those of the checksum, of blanks and of names."""
    path = tmp_path / "model.safetensors"
    for place in range(len(written)):
        for bit in range(8):
            changed = bytearray(written)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            refusal(path)


# ------------------------------------------------------------------------------------- crafted, with a checksum that fits


def crafted(config, tensors, change):
    """The file whose header entries, metadata and bytes `change` has changed, sealed anew."""
    entries, arrays = model_files.layout(tensors)
    whole = {"__metadata__": model_files.metadata_of(config), **entries}
    changed = change(whole, arrays)
    header = changed if isinstance(changed, bytes) else json.dumps(whole).encode()
    return model_files.sealed(header, arrays)


def entry(name, **fields):
    return lambda whole, arrays: whole[name].update(fields)


def swapped(whole, arrays):
    """Two arrays in one another's place overlap, since they differ in length."""
    whole["lstm.weight_ih"]["data_offsets"], whole["linear.bias"]["data_offsets"] = (
        whole["linear.bias"]["data_offsets"], whole["lstm.weight_ih"]["data_offsets"],
    )


def text(change):
    return lambda whole, arrays: change(json.dumps(whole)).encode("utf-8", "surrogatepass")


def as_config(content):
    return lambda whole, arrays: whole["__metadata__"].update(config=content)


HEADERS = {
    "an array": lambda whole, arrays: b"[1, 2]",
    "a number": lambda whole, arrays: b"7",
    "empty": lambda whole, arrays: b"",
    "not UTF-8": lambda whole, arrays: b'{"\xff": 1}',
    "nested": lambda whole, arrays: b"[" * 200_000,
    "nested objects": lambda whole, arrays: b'{"a":' * 200_000,
    "a long number": lambda whole, arrays: b'{"a": ' + b"9" * 1_000_000 + b"}",
    "an infinite number": lambda whole, arrays: b'{"a": 1e999}',
    "NaN": lambda whole, arrays: b'{"a": NaN}',
    "a key twice": text(lambda header: header[:-1] + ', "linear.bias": {}}'),
    "metadata twice": text(lambda header: header[:-1] + ', "__metadata__": {}}'),
    "no metadata": lambda whole, arrays: whole.pop("__metadata__") and None,
    "metadata that are no texts": lambda whole, arrays: whole["__metadata__"].update(epoch=3),
    "no checksum": lambda whole, arrays: whole["__metadata__"].pop("sha256") and None,
    "checksum spelt otherwise": text(lambda header: header.replace('"0000', '"\\u0030000', 1)),
    "another format": lambda whole, arrays: whole["__metadata__"].update(format="softradial.policy/2"),
    "no task": lambda whole, arrays: whole["__metadata__"].pop("task") and None,
    "another task": lambda whole, arrays: whole["__metadata__"].update(task="dispatch"),
    "an unknown array": lambda whole, arrays: whole.update({"lstm.code": whole.pop("linear.bias")}),
    "a name with a new line": lambda whole, arrays: whole.update({"a\nb": whole.pop("linear.bias")}),
    "a missing array": lambda whole, arrays: whole.pop("linear.bias") and None,
    "an entry that is no object": lambda whole, arrays: whole.update({"linear.bias": [1]}),
    "a field too many": entry("linear.bias", code="import os"),
    "another type": entry("linear.bias", dtype="F16"),
    "a type that is no text": entry("linear.bias", dtype=["F32"]),
    "whole numbers": entry("linear.bias", dtype="I32"),
    "twice the type": entry("linear.bias", dtype="F64", shape=[1]),
    "a shape that is no list": entry("linear.bias", shape=2),
    "a negative shape": entry("linear.bias", shape=[-2]),
    "a shape of nothing": entry("linear.bias", shape=[0]),
    "a shape of booleans": entry("linear.bias", shape=[True, 2]),
    "a huge shape": entry("linear.bias", shape=[2**40, 2**40]),
    "an endless shape": entry("linear.bias", shape=[1] * 10_000),
    "another shape of the same size": entry("lstm.weight_ih", shape=[6, 4]),
    "offsets that overlap": swapped,
    "offsets beyond the end": entry("linear.bias", data_offsets=[10**15, 10**15 + 8]),
    "offsets backwards": entry("linear.bias", data_offsets=[8, 0]),
    "negative offsets": entry("linear.bias", data_offsets=[-8, 0]),
    "one offset": entry("linear.bias", data_offsets=[0]),
    "offsets that are fractions": entry("linear.bias", data_offsets=[0.0, 8.0]),
    "a config that is no JSON": as_config("import os"),
    "a config that is no object": as_config("[]"),
    "a nested config": as_config("[" * 200_000),
    "a config of lone surrogates": text(lambda header: header.replace("portfolio", "\\ud800", 1)),
}


@pytest.mark.parametrize("case", HEADERS)
def test_crafted_headers(case, model, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(crafted(*model, HEADERS[case]))
    refusal(path)


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 2**40, 2**31])
def test_a_header_that_is_longer_than_the_file(length, written, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", length) + written[8:])
    assert "header" in refusal(path)


CONFIGS = {
    "another task": {"task": "dispatch"},
    "no names": {"names": None},
    "names that are no texts": {"names": [1, 2]},
    "no name": {"names": []},
    "a name twice": {"names": ["A0", "A0"]},
    "too many names": {"names": ["A0", "A1", "A2"]},
    "no set": {"set": None},
    "a set that is none": {"set": {"type": "magic"}},
    "a set of another dimension": {"set": {"type": "simplex", "dim": 3}},
    "a set of a huge dimension": {"set": {"type": "simplex", "dim": 10**15}},
    "an empty set": {"set": {"type": "capped_simplex", "dim": 2, "cap": 0.1}},
    "no lookback": {"lookback": None},
    "a lookback of nothing": {"lookback": 0},
    "a fractional lookback": {"lookback": 1.5},
    "a lookback that is true": {"lookback": True},
    "a huge lookback": {"lookback": 10**17},
    "another hidden": {"hidden": 2},
    "a huge hidden": {"hidden": 10**12},
    "a dropout beyond 1": {"dropout": 7},
    "a dropout in words": {"dropout": "much"},
    "no method": {"method": None},
    "an unknown method": {"method": "magic"},
    "no options": {"method_options": None},
    "options that the method does not have": {"method_options": {"steps": 3}},
    "options in words": {"method_options": {"lambda": "large"}},
    "options out of range": {"method_options": {"lambda": -1}},
    "options that are arguments": {"method_options": {"anchor": 1}},
    "a contraction that is none": {"contraction": "magic"},
    "a contraction that is no text": {"contraction": [1]},
    "a method that gives other numbers of outputs": {"method": "ray_scalar"},
}


@pytest.mark.parametrize("case", CONFIGS)
def test_crafted_configurations(case, model, tmp_path):
    config, tensors = model
    path = tmp_path / "model.safetensors"
    path.write_bytes(model_files.model_file({**config, **CONFIGS[case]}, tensors))
    refusal(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("which", range(8))
def test_numbers_that_are_not_finite(which, value, model, tmp_path):
    config, tensors = model
    name = sorted(tensors)[which]
    tensors[name].flatten()[-1] = value
    path = tmp_path / "model.safetensors"
    path.write_bytes(model_files.model_file(config, tensors))
    assert name in refusal(path)


@pytest.mark.parametrize("scale", [0.0, -1.0])
def test_scales_are_positive(scale, model, tmp_path):
    config, tensors = model
    tensors["features.scale"][1] = scale
    path = tmp_path / "model.safetensors"
    path.write_bytes(model_files.model_file(config, tensors))
    assert "features.scale" in refusal(path)


def test_what_random_headers_do(model, tmp_path, rng):
    """Headers with random bytes replaced, left out or doubled, and a checksum that fits: refused, or a policy as good as any
    (where a name or a number has become another one)."""
    config, tensors = model
    entries, arrays = model_files.layout(tensors)
    header = json.dumps({"__metadata__": model_files.metadata_of(config), **entries}).encode()
    path = tmp_path / "model.safetensors"
    draw = torch.randint(0, 2**31, (4000, 4), generator=rng).tolist()
    bytes_of_json = b'{}[]",:0123456789.eE-+\\ untrfalsu\x00\xff'
    loaded = 0
    for place, kind, byte, length in draw:
        place %= len(header)
        end = place + (0, 1, 1, 1 + length % 40)[kind % 4]
        inside = (bytes_of_json[byte % len(bytes_of_json)],) if kind % 4 < 3 else header[place:end] * 2
        path.write_bytes(model_files.sealed(header[:place] + bytes(inside) + header[end:], arrays))
        try:
            policy = sr.load_policy(path)
        except ValueError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error), error
            continue
        loaded += 1
        decision = policy(100 + torch.rand(policy.days_needed, 2, generator=rng))
        assert policy.set.violation(decision) == 0
    assert loaded < 1000


# --------------------------------------------------------------------------------------------------------- what is no file


def test_pipes_devices_and_folders_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "is no file"
    assert refusal("/dev/zero") == "is no file"
    with pytest.raises(FileNotFoundError, match="nothing.safetensors"):
        sr.load_policy(tmp_path / "nothing.safetensors")


def test_a_file_beyond_all_bounds_is_not_read(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", 2**24 + 1) + b"{" * 100)
    os.truncate(path, 2**24 + 1000)
    assert "header" in refusal(path)


# -------------------------------------------------------------------------------------------------------------------- runs


@pytest.fixture
def run(tmp_path, rng):
    models = {seed: model_files.portfolio(rng, SET, lookback=1, hidden=1) for seed in (8, 9, 10)}
    return model_files.write_run(tmp_path / "run", models, best_seed=9), models


def same_numbers(policy, model):
    return torch.equal(policy.model.linear.weight, model[1]["linear.weight"])


def test_a_folder_gives_its_best_seed_or_the_one_asked_for(run):
    folder, models = run
    assert same_numbers(sr.load_policy(folder), models[9])
    assert same_numbers(sr.load_policy(str(folder), seed=10), models[10])
    with pytest.raises(ValueError, match=r"has no seed 3; there are \[8, 9, 10\]"):
        sr.load_policy(folder, seed=3)
    with pytest.raises(ValueError, match="seed: chooses a model of a folder"):
        sr.load_policy(folder / "seed-8" / "model.safetensors", seed=8)


def test_a_run_that_has_not_ended(run):
    """Nothing is taken without being asked for; what is asked for is said to be unfinished."""
    folder, models = run
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "best_seed": None}))
    with pytest.raises(ValueError, match="no training has ended in this run"):
        sr.load_policy(folder)
    unfinished = crafted(*models[8], lambda whole, arrays: whole["__metadata__"].update(finished="false"))
    (folder / "seed-8" / "model.safetensors").write_bytes(unfinished)
    with pytest.warns(UserWarning, match="seed-8/model.safetensors: its training was interrupted"):
        assert same_numbers(sr.load_policy(folder, seed=8), models[8])
    (folder / "seed-10" / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="this seed has not been trained yet"):
        sr.load_policy(folder, seed=10)


def test_a_folder_without_a_manifest_is_refused(run):
    folder, _ = run
    (folder / "manifest.json").unlink()
    assert "manifest.json" in refusal(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "softradial.run/2"}, {"schema": None}, {"best_seed": None}, {"best_seed": True}, {"best_seed": "9"},
        {"best_seed": 4}, {"best_seed": "../../seed-9"}, {"seeds": None}, {"seeds": {"9": 9}}, {"seeds": []},
    ],
    ids=str,
)
def test_bad_manifests(change, run):
    folder, _ = run
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(ValueError, match="manifest.json: "):
        sr.load_policy(folder)


@pytest.mark.parametrize("change", [{"names": ["A1", "A0"]}, {"set": {"type": "simplex", "dim": 2}}], ids=str)
def test_a_model_that_is_not_the_manifests(change, run):
    folder, _ = run
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(ValueError, match="its names or its set are not those of"):
        sr.load_policy(folder)


def test_a_manifest_that_is_no_json(run):
    folder, _ = run
    for text in ("", "{", "[" * 100_000, '{"schema": 1, "schema": 2}'):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(ValueError, match="manifest.json: "):
            sr.load_policy(folder)
