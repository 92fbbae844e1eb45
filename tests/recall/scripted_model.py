"""A language model that a script plays.

It answers the request for the notes of a session with what stands in `model.json` of the set, and for no turn that it was not sent.
"""
import json

from scripted_server import ScriptedServer


class ScriptedModel(ScriptedServer):
    def __init__(self, path):
        self.sessions = json.loads(path.read_text(encoding="utf-8"))
        self.unknown = []
        super().__init__()

    def reply(self, messages):
        """Returns the answer to a request; None if it names a turn that is not known."""
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
            # A turn without an entry is one that the model passed over.
            if known:
                turns.append({"turn": turn, "outcomes": sum(known, [])})
        return json.dumps({"topic": said["topic"], "turns": turns, "facts": said["facts"]}, ensure_ascii=False)
