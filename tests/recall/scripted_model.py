"""A scripted language model. It answers the request for the notes of a session from `model.json` of the set, only for the requested
turns.
"""
import json

from scripted_server import ScriptedServer


class ScriptedModel(ScriptedServer):
    def __init__(self, path):
        self.sessions = json.loads(path.read_text(encoding="utf-8"))
        self.unknown = []
        super().__init__()

    def reply(self, messages):
        """Returns the answer to a request; None if it names an unknown turn."""
        data = messages[-1]["content"]
        asked = [json.loads(line)["turn"] for line in data.split("\n") if line.startswith('{"turn"')]
        unknown = [turn for turn in asked if turn not in self.places]
        self.unknown += unknown
        if unknown or not asked:
            return None
        turns = []
        for turn in asked:
            session, numbers = self.places[turn]
            said = self.sessions[session]
            known = [said["turns"][number] for number in numbers if number in said["turns"]]
            # The model passes over a turn without an entry.
            if known:
                turns.append({"turn": turn, "outcomes": sum(known, [])})
        return json.dumps({"topic": said["topic"], "turns": turns, "facts": said["facts"]}, ensure_ascii=False)
