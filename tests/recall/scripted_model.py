"""A language model that a script plays: a server on the loopback interface that speaks OpenAI's chat completions.

It answers the request for the notes of a session as a model would that reads well: of each turn the sentence that holds what the
set's marks name. It knows nothing but the turns that it is sent, and makes no sentence of its own.
"""
import http.server
import json
import re
import threading

KINDS = (("decisions", "decided"), ("findings", "found"), ("open", "open"))
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
CODE = re.compile(r"```.*?```", re.DOTALL)
# Longest answer about one mark, in sentences: what decides is often said in two.
MOST = 3


def holds(mark, text):
    text = text.casefold()
    return all(word.casefold() in text for word in mark)


def passage(mark, text):
    """Returns the fewest sentences of a text that hold the mark. Code is none."""
    text = CODE.sub("", text).replace("**", "")
    sentences = [part.strip(" -*>#|") for part in SENTENCE.split(text) if part.strip(" -*>#|")]
    for length in range(1, MOST + 1):
        for start in range(len(sentences) - length + 1):
            found = " ".join(sentences[start:start + length])
            if holds(mark, found):
                return found
    return None


class ScriptedModel:
    def __init__(self, sessions):
        self.by_request = {}
        for session in sessions:
            for turn in session["turns"]:
                self.by_request.setdefault(turn.get("ask", "").strip()[:60], session)
        self.calls = 0
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                text = model.answer(request["messages"][-1]["content"])
                usage = {"prompt_tokens": sum(len(message["content"]) for message in request["messages"]) // 4,
                         "completion_tokens": len(text) // 4}
                body = json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def settings(self):
        """Returns the variables that have tars ask it."""
        url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        return {"TARS_SUMMARY_PROVIDER": "openai", "TARS_SUMMARY_MODEL": "scripted", "TARS_SUMMARY_BASE_URL": url,
                "TARS_MODEL_DAILY_TOKENS": "0"}

    def answer(self, data):
        self.calls += 1
        turns = [json.loads(line) for line in data.split("\n") if line.startswith('{"turn"')]
        session = next((self.by_request[key] for key in (turn["asked"].strip()[:60] for turn in turns)
                        if key in self.by_request), {})
        left = [(kind, mark) for field, kind in KINDS for mark in session.get(field, [])]
        said = []
        for turn in turns:
            outcomes = []
            for kind, mark in list(left):
                text = passage(mark, turn["answered"]) or passage(mark, turn["asked"])
                if text:
                    outcomes.append({"kind": kind, "text": text})
                    left.remove((kind, mark))
            said.append({"turn": turn["turn"], "outcomes": outcomes})
        return json.dumps({"topic": "a session", "turns": said, "facts": []}, ensure_ascii=False)

    def close(self):
        self.server.shutdown()
