"""A model hub with one repository, on the loopback interface: what `tars models pull` needs from a real one."""

import hashlib
import http.server
import json
import threading

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Serves `files`, contents by name, as the repository `name` (OWNER/NAME). Files of models are listed with their sha256."""

    def __init__(self, name, files):
        siblings = []
        for file, content in files.items():
            entry = {"rfilename": file, "size": len(content)}
            if file.endswith((".onnx", ".safetensors")):
                entry["lfs"] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            siblings.append(entry)
        listing = json.dumps({"sha": COMMIT, "siblings": siblings, "cardData": {"license": "mit"}, "gated": False}).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith(f"/api/models/{name}/revision/"):
                    body = listing
                else:
                    body = files.get(self.path.removeprefix(f"/{name}/resolve/{COMMIT}/"))
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                try:
                    self.wfile.write(body or b"")
                except OSError:
                    # The program was killed while it was downloading.
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
