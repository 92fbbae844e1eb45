"""A language model that a script plays: a server on the loopback interface that speaks OpenAI's chat completions.

It answers the request for the notes of a session with what a model said of these turns: `model.json` of the set holds the answers,
by session and by the number of the turn in it. They were written by a model from the turns alone, without the marks of the set.
"""
import http.server
import json
import threading

# Characters by which a request is known again: tars sends the beginning and the end of a long one.
BEGINNING = 60


class ScriptedModel:
    def __init__(self, sessions, answers):
        self.answers = answers
        self.turns = {}
        for session in sessions:
            for number, turn in enumerate(session["turns"], 1):
                asked = turn.get("ask", "").strip()[:BEGINNING]
                self.turns.setdefault(asked, []).append((session["id"], str(number)))
        self.calls = self.unknown = 0
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
        sent = [json.loads(line) for line in data.split("\n") if line.startswith('{"turn"')]
        places = [self.turns.get(turn["asked"].strip()[:BEGINNING], []) for turn in sent]
        # Two sessions may hold the same request: that of most turns is meant.
        held = [session for found in places for session, _ in found]
        session = max(set(held), key=held.count, default=None)
        said = []
        for turn, found in zip(sent, places):
            number = next((number for of, number in found if of == session), None)
            self.unknown += number is None
            outcomes = self.answers.get(session, {}).get("turns", {}).get(number, [])
            said.append({"turn": turn["turn"], "outcomes": outcomes})
        answer = self.answers.get(session, {})
        return json.dumps({"topic": answer.get("topic"), "turns": said, "facts": answer.get("facts", [])}, ensure_ascii=False)

    def close(self):
        self.server.shutdown()
