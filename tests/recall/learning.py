"""Replays the weeks of a set twice, without and with learning from use, and compares the lines that came with its prompts.

Both replays play the same: after a prompt the agent repeats those of its lines that the marks call needed or useful, so that the detector
of the hooks tells which lines were used, and the session ends. Its notes are taken back, because they would repeat the set's own. Needs
Python 3.8 and nothing else.
"""
import datetime
import random
import shutil

from player import Session, World, matches, moment, play

SAMPLES = 2_000


def useful(entry, line):
    return any(matches(mark, line) for mark in entry["needs"] + entry.get("useful", []))


def ask(world, entry, remotes, again=""):
    """Asks a prompt in a session of its own, in which the agent uses the useful lines. Returns the lines that came, and those before them."""
    world.index()
    session = Session(world, f"probe {entry['id']}{again}", world.project(entry["project"], remotes.get(entry["project"])))
    begun = session.start()
    for prompt in entry.get("before", []):
        session.ask(prompt)
        session.act([{"say": "Done."}])
        world.now += datetime.timedelta(minutes=1)
    shown, prompt_id = session.ask(entry["prompt"])
    world.now += datetime.timedelta(minutes=2)
    said = "\n\n".join(line for line in shown if useful(entry, line)) or "The notes say nothing about that."
    session.act([{"say": said}])
    memory, kept = world.vault / "tars", world.home / "kept"
    if memory.is_dir():
        shutil.copytree(memory, kept)
    world.hook("Stop", session, prompt_id=prompt_id, stop_hook_active=False, last_assistant_message=said)
    session.end()
    world.wait()
    shutil.rmtree(memory, ignore_errors=True)
    if kept.is_dir():
        shutil.move(str(kept), str(memory))
    return shown, begun


def replay(binary, folder, source, sets, credit, rounds):
    """Plays the sessions and asks the prompts, the latter again in further weeks. Returns by round: each prompt with its lines."""
    sessions, prompts = sets
    world = World(binary, folder, source)
    world.settings["TARS_SEARCH_USE_CREDIT"] = str(credit)
    remotes = {entry["project"]: entry.get("remote") for entry in sessions}
    played, asked = {}, [[] for _ in range(rounds)]
    for entry in sorted(sessions + prompts, key=moment):
        if "turns" in entry:
            play(world, entry, played)
        else:
            world.now = moment(entry)
            asked[0].append((entry, *ask(world, entry, remotes)))
    period = max(map(moment, prompts)) - min(map(moment, prompts)) + datetime.timedelta(days=1)
    for number in range(1, rounds):
        for entry in sorted(prompts, key=moment):
            world.now = moment(entry) + period * number
            asked[number].append((entry, *ask(world, entry, remotes, f" {number}")))
    uses = (world.data / "recall/uses.table")
    lines = uses.stat().st_size // 32 - 1 if uses.exists() else 0
    shutil.rmtree(world.home)
    return asked, lines


def figures(asked):
    """Returns for each prompt: useful lines, lines, needed notes that came, needed notes, whether it was rightly left alone."""
    rows = []
    for entry, shown, begun in asked:
        came = sum(any(matches(mark, line) for line in shown + begun) for mark in entry["needs"])
        rows.append((sum(useful(entry, line) for line in shown), len(shown), came, len(entry["needs"]), not entry["needs"] and not shown))
    return rows


def share(rows):
    lines = sum(row[1] for row in rows)
    return sum(row[0] for row in rows) / lines if lines else 0.0


def interval(pairs):
    """Returns the 95 % interval of the difference between two useful shares, by resampling prompts."""
    chance = random.Random(7)
    found = []
    for _ in range(SAMPLES):
        some = chance.choices(pairs, k=len(pairs))
        found.append(share([after for _, after in some]) - share([before for before, _ in some]))
    found.sort()
    return found[int(SAMPLES * 0.025)], found[int(SAMPLES * 0.975)]


def compare(binary, folder, source, sets, credit, rounds):
    """Returns the rows of the table for a set, and the pairs of its prompts by round: without and with learning."""
    (before, _), (after, lines) = (replay(binary, folder, source, sets, one, rounds) for one in (0.0, credit))
    pairs = [list(zip(figures(without), figures(learned))) for without, learned in zip(before, after)]
    changed = [sum(one[1:] != other[1:] for one, other in zip(without, learned)) for without, learned in zip(before, after)]
    return [row(source.name, number, own, moved) for number, (own, moved) in enumerate(zip(pairs, changed), 1)], pairs, lines


def row(name, number, pairs, changed):
    """Returns a row of the table. At equal coverage: of the prompts to which equally many needed notes came both times."""
    count = lambda rows: f"{sum(one[0] for one in rows)}/{sum(one[1] for one in rows)} ({share(rows):.2f})"
    cover = lambda rows: f"{sum(one[2] for one in rows)}/{sum(one[3] for one in rows)}"
    alone = lambda rows: f"{sum(one[4] for one in rows)}/{sum(not one[3] for one in rows)}"
    before, after = [one for one, _ in pairs], [other for _, other in pairs]
    equal = [(one, other) for one, other in pairs if one[2] == other[2]]
    low, high = interval(equal)
    columns = [name, str(number), str(changed), f"{cover(before)} → {cover(after)}", f"{alone(before)} → {alone(after)}", f"{count(before)} → {count(after)}",
               f"{count([one for one, _ in equal])} → {count([other for _, other in equal])}", f"{low:+.2f} to {high:+.2f}"]
    return "| " + " | ".join(columns) + " |"


HEAD = """| set | round | prompts that changed | needed notes that came | left alone | lines of use | the same at equal coverage | 95 % of the difference |
|---|---|---|---|---|---|---|---|"""
