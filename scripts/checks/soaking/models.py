"""Scenarios that kill tars while it downloads and prepares models."""

import hashlib
import json
import os
import shutil

from ..hub import Hub
from .commands import Commands
from .world import Anomaly


def files(random):
    """Returns the files of a complete model; its weights are a few megabytes of noise."""
    text = lambda value: json.dumps(value).encode()
    return {
        "onnx/model_quantized.onnx": random.randbytes(6 << 20),
        "tokenizer.json": text({"model": {}}),
        "config.json": text({"hidden_size": 384, "max_position_embeddings": 512, "model_type": "bert"}),
        "sentence_bert_config.json": text({"max_seq_length": 256}),
        "1_Pooling/config.json": text({"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True}),
        "modules.json": text([
            {"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ]),
    }


class Pull(Commands):
    """`tars models pull`: the new model is complete and verified, or the old one still is; a killed pull leaves nothing behind."""

    def __init__(self, options, tally, name):
        super().__init__(options, tally, name)
        self.hub = Hub("acme/Small", files(self.random))
        self.catalog = os.path.join(self.home, "models")
        self.environment |= {"TARS_MODELS_DIR": self.catalog, "TARS_MODELS_HUB": self.hub.url}
        # tars cannot prepare a graph of noise and exits with 2; it still installs the model.
        self.tars("models", "pull", "hf:acme/Small", codes=(0, 2))

    def close(self, keep):
        self.hub.close()
        super().close(keep)

    def step(self):
        self.disturbed("models", "pull", "hf:acme/Small")
        if not os.path.exists(os.path.join(self.catalog, "small-quantized", "manifest.toml")):
            # Killed between two renames: the next pull restores the old model first.
            self.tally.add(self.name, between=1)
        self.tars("models", "pull", "hf:acme/Small", codes=(0, 2))
        folder = os.path.join(self.catalog, "small-quantized")
        with open(os.path.join(folder, "manifest.toml"), encoding="utf-8") as file:
            manifest = file.read()
        for name in ("model.onnx", "tokenizer.json"):
            with open(os.path.join(folder, name), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() not in manifest:
                    raise Anomaly(f"{name} does not have the hash in its manifest")
        self.settled()


class Prepare(Commands):
    """`tars models prepare`: the prepared file is complete, or it is missing and the next run makes it."""

    def __init__(self, options, tally, name):
        super().__init__(options, tally, name)
        self.catalog = os.path.join(self.home, "models")
        shutil.copytree(options.models, self.catalog, ignore=shutil.ignore_patterns("kernel.bin", ".kernel*", ".verified"))
        self.environment |= {"TARS_MODELS_DIR": self.catalog, "TARS_EMBEDDING_PROVIDER": "onnx"}
        self.longest = 3.0

    def step(self):
        self.disturbed("models", "prepare")
        done = self.tars("search", "otter in the north", "--json")
        if json.loads(done.out)["degraded"]:
            self.tars("models", "prepare")
        self.tars("models", "verify")
        self.settled()
