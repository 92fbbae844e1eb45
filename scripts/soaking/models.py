"""Models that are fetched and prepared while the process is killed."""

import hashlib
import http.server
import json
import os
import shutil
import threading

from .commands import Commands
from .world import Anomaly

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def files(random):
    """A repository with everything that belongs to a model; its weights are noise of a few megabytes."""
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


class Hub:
    """A hub on the loopback interface with one model, `acme/Small`."""

    def __init__(self, content):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = None
                if self.path.startswith("/api/models/acme/Small/revision/"):
                    siblings = [
                        {"rfilename": name, "size": len(data),
                         **({"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}} if name.endswith(".onnx") else {})}
                        for name, data in content.items()
                    ]
                    body = json.dumps({"sha": COMMIT, "siblings": siblings, "cardData": {"license": "mit"}, "gated": False}).encode()
                else:
                    body = content.get(self.path.removeprefix(f"/acme/Small/resolve/{COMMIT}/"))
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                try:
                    self.wfile.write(body or b"")
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Pull(Commands):
    """`tars models pull`: the model is whole and checked, or the one before it is; nothing of a killed pull stays."""

    def __init__(self, options, tally, name):
        super().__init__(options, tally, name)
        self.hub = Hub(files(self.random))
        self.catalog = os.path.join(self.home, "models")
        self.environment |= {"TARS_MODELS_DIR": self.catalog, "TARS_MODELS_HUB": self.hub.url}
        # A graph of noise cannot be prepared, which is said; the model is installed all the same.
        self.tars("models", "pull", "hf:acme/Small", codes=(0, 2))

    def close(self, keep):
        self.hub.close()
        super().close(keep)

    def step(self):
        self.disturbed("models", "pull", "hf:acme/Small")
        if not os.path.exists(os.path.join(self.catalog, "small-quantized", "manifest.toml")):
            # Killed between two renames: the next pull puts the old model back before anything else.
            self.tally.add(self.name, between=1)
        self.tars("models", "pull", "hf:acme/Small", codes=(0, 2))
        folder = os.path.join(self.catalog, "small-quantized")
        with open(os.path.join(folder, "manifest.toml"), encoding="utf-8") as file:
            manifest = file.read()
        for name in ("model.onnx", "tokenizer.json"):
            with open(os.path.join(folder, name), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() not in manifest:
                    raise Anomaly(f"{name} is not the file that its manifest names")
        self.settled()


class Prepare(Commands):
    """`tars models prepare`: the prepared file is whole, or it is not there and is made by the next."""

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
