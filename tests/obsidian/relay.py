"""Serves the page of the plugin's check, and relays its requests as Obsidian's `requestUrl` sends them: outside of the page."""

import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>The panes of tars</title>
<link rel="stylesheet" href="/styles.css">
<link rel="icon" href="data:,">
<script src="/page.js"></script>
<body></body>
"""


class Relay:
    """A server on a free port of this machine."""

    def __init__(self, plugin):
        files = {
            "/": ("text/html", PAGE.encode()),
            "/page.js": ("text/javascript", (plugin / "build" / "page.js").read_bytes()),
            "/styles.css": ("text/css", (plugin / "plugin" / "styles.css").read_bytes()),
        }

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                kind, content = files.get(self.path, ("text/plain", b""))
                self.answer(kind, content)

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer("application/json", json.dumps(relayed(asked)).encode())

            def answer(self, kind, content):
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Ends the server."""
        self.server.shutdown()
        self.server.server_close()


def relayed(asked):
    """Sends a request, and returns its answer as `requestUrl` gives it."""
    request = urllib.request.Request(asked["url"], asked["body"].encode(), asked["headers"], method=asked["method"])
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return {"status": answer.status, "headers": dict(answer.headers), "text": answer.read().decode()}
    except urllib.error.HTTPError as error:
        return {"status": error.code, "headers": dict(error.headers), "text": error.read().decode()}
    except OSError as error:
        return {"failed": str(error)}
