"""A client of `tars mcp` that sends lines as they are, and counts the answers."""

import json
import time

from checks.attacking.case import Defect, short
from checks.attacking.world import Lines, check_output

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Attacker", "version": "1"}}


class Client:
    """`tars mcp` with a client that sends bytes as they are."""

    def __init__(self, world, *arguments, environment=None, hello=True):
        self.world = world
        self.process = world.start("mcp", *arguments, environment=environment)
        self.output, self.errors = Lines(self.process.stdout), Lines(self.process.stderr)
        self.read, self.next = 0, 0
        # Whether a case ended with a defect, so that answers may still come.
        self.is_spoiled = False
        if hello:
            self.request("initialize", HELLO)
            self.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def write(self, line):
        data = line if isinstance(line, bytes) else line.encode(errors="surrogatepass")
        try:
            self.process.stdin.write(data + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Defect(f"the program ended with {self.process.wait()}: {short(self.errors.text().decode(errors='replace'))}") from None

    def take(self, count, seconds, until=None):
        """Returns the messages since the last call: waits until there are this many, or one has the id `until`."""
        deadline, found = time.monotonic() + seconds * self.world.patience, []
        while True:
            with self.output.news:
                if self.read == len(self.output.lines) and not self.output.ended:
                    self.output.news.wait(max(0, deadline - time.monotonic()))
                new, self.read = self.output.lines[self.read:], len(self.output.lines)
                is_over = self.output.ended or time.monotonic() >= deadline
            found += [parsed(line) for line in new]
            if len(found) >= count or is_over or until is not None and any(message.get("id") == until for message in found):
                return found

    def exchange(self, case, line, answers=1, seconds=8, grace=2):
        """Sends a line, which must get this many answers, and then a request of its own, which must get its one. Answers may overtake each
        other: the line's may come for a while after the other one."""
        case.note("sent", line)
        self.is_spoiled = True
        self.next += 1
        mark = f"mark-{self.next}"
        self.write(line)
        self.write(json.dumps({"jsonrpc": "2.0", "id": mark, "method": "ping"}))
        found = self.take(answers + 1, seconds, mark)
        if len(found) <= answers and self.process.poll() is None:
            found += self.take(answers + 1 - len(found), grace)
        own = [message for message in found if message.get("id") != mark]
        for message in own:
            case.note("answer", json.dumps(message, ensure_ascii=False))
        check_output(self.errors.text())
        case.expect(self.process.poll() is None, "the program ended")
        case.expect(len(found) > len(own), "the next request got no answer")
        case.expect(len(own) == answers, f"there are {len(own)} answers, not {answers}")
        self.world.check_answer(json.dumps(own, ensure_ascii=False), line)
        self.is_spoiled = False
        return own

    def request(self, method, params=None):
        self.next += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.next, "method": method, **({"params": params} if params is not None else {})}))
        found = self.take(1, 30)
        if len(found) != 1 or "result" not in found[0]:
            raise Defect(f"{method} was answered with {found}")
        return found[0]["result"]

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10 * self.world.patience)
        except OSError:
            pass


def parsed(line):
    try:
        message = json.loads(line.decode("utf-8"))
    except ValueError:
        raise Defect(f"it prints what is no JSON: {short(line)}") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Defect(f"it prints what is no message: {short(line)}")
    return message
