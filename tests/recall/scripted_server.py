"""A server on the loopback interface with OpenAI's chat completions API and scripted answers."""
import http.server
import json
import threading


class ScriptedServer:
    """The base of scripted models, which implement `reply`."""

    def __init__(self):
        self.calls = 0
        # The session of the set and the numbers of its turns, by the turn's id.
        self.places = {}
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
                model.calls += 1
                text = model.reply(messages)
                usage = {"prompt_tokens": sum(len(message["content"]) for message in messages) // 4, "completion_tokens": len(text or "") // 4}
                answer = {"choices": [{"message": {"content": text}}], "usage": usage}
                is_known = text is not None
                body = json.dumps(answer if is_known else {"error": {"message": "there is no recorded answer to this request"}}).encode()
                self.send_response(200 if is_known else 400)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, messages):
        """Returns the answer to a request; None if there is none."""
        raise NotImplementedError

    def settings(self):
        """Returns the variables that make tars use this server."""
        url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        return {"TARS_SUMMARY_PROVIDER": "openai", "TARS_SUMMARY_MODEL": "scripted", "TARS_SUMMARY_BASE_URL": url,
                "TARS_MODEL_DAILY_TOKENS": "0"}

    def place(self, prompt_id, session, number):
        """Records the session and the turn of a prompt. A program's report belongs to the prompt before it."""
        # A request names a turn by the first six digits of its prompt's id.
        self.places.setdefault(prompt_id[:6], (session, []))[1].append(str(number))

    def close(self):
        self.server.shutdown()
        self.server.server_close()
