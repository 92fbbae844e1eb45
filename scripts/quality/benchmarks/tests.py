"""Tests of the conversions, the near misses and the figures with small made-up data: python3 -m unittest benchmarks.tests, in
scripts/quality."""

import json
import tempfile
import unittest
import zipfile
from pathlib import Path

import near_misses
from benchmarks import beam, figures, locomo, precision
from benchmarks.vault import Place, Question, Unusable, Vault, lines_of

CONVERSATION = {
    "speaker_a": "Ada", "speaker_b": "Bo",
    "session_1_date_time": "1:05 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought a kiln.\nIt is  red."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a vase"},
    ],
    # A session without turns, which the data has too.
    "session_2_date_time": "9:30 am on 1 June, 2023",
    "session_12_date_time": "12:00 am on 2 June, 2023",
    "session_12": [{"speaker": "Bo", "dia_id": "D12:1", "text": "The kiln broke."}],
}
ASKED = [
    {"question": "What broke?", "evidence": ["D1:1; D12:01"], "category": 1},
    {"question": "Which vase?", "evidence": ["D:1:2", "D1:2"], "category": 4},
    {"question": "Who sang?", "evidence": ["D7:7"], "category": 2},
    {"question": "Who danced?", "category": 5},
]
CHAT = [
    {"turns": [
        [
            {"role": "user", "id": 0, "time_anchor": "March-05-2024", "content": "Plan my week ->-> 1,1"},
            {"role": "assistant", "id": 1, "content": "Sure:\r\n```py\nx = 1\u2028y"},
        ],
        [{"role": "user", "id": 2, "content": "Always answer in tables ->-> 1,N/A"}],
    ]},
    {"turns": [[{"role": "user", "id": 3, "time_anchor": "April-01-2024", "content": "Use a -> b"}]]},
]
PROBES = {
    "abstention": [{"question": "Who is my dentist?"}],
    "knowledge_update": [{"question": "Which plan?", "source_chat_ids": {"original_info": [0], "updated_info": [3, 0]}}],
    "summarization": [{"question": "Sum up", "source_chat_ids": []}, {"question": "All", "source_chat_ids": [[1], 99]}],
}


def belief(name, text, scope="domain:code", **more):
    return {"_id": name, "user_id": "test-user", "type": "preference", "canonical_name": f"the_{name}", "aliases": [], "content": text,
            "scope": [scope], "pinned": False, "superseded_by": None, "resolved_at": None, "created_at": "2026-03-02T00:00:00Z", **more}


BELIEFS = [
    belief("tabs", "Indents with tabs.", aliases=["indentation", "TAB"]),
    belief("spaces", "Indented with spaces.", superseded_by="tabs"),
    belief("voice", "Writes in the present tense.", "domain:writing"),
    belief("short", "Wants short answers.", "user:universal"),
    belief("store", "Stores rows in Postgres.", pinned=True),
    belief("cache", "Caches in Redis."),
    belief("link", "The login needs the cache.", type="relation", participants=["cache", "voice"]),
    belief("settled", "Which host?", resolved_at="2026-01-01T00:00:00Z"),
    belief("secret", "Uses Haskell.", user_id="other-user"),
]
CASES = [
    {"caseId": "one", "category": "Alias resolution", "scope": ["domain:code"], "query": "tabs or spaces?",
     "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["tabs"]}}},
    {"caseId": "two", "category": "Budget", "scope": ["domain:code", "domain:writing"], "query": "x", "userId": "new",
     "budget": {"maxBeliefs": 2}, "expect": {"relevantBeliefs": {"mustInclude": ["store", "cache"]}}},
    {"caseId": "three", "category": "Scope", "scope": ["domain:hobby"], "query": "", "expect": {}},
]


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def write(self, path, content):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")


class Locomo(Folder):
    def test_a_session_is_a_note_and_a_turn_a_line(self):
        self.write("data/locomo10.json", [{"sample_id": "conv-26", "conversation": CONVERSATION, "qa": ASKED}])
        [vault], left_out = locomo.read(self.root)
        self.assertEqual(list(vault.notes), ["2023-05-08 session 01.md", "2023-06-02 session 12.md"])
        first = vault.notes["2023-05-08 session 01.md"]
        self.assertEqual(first[0], "# Ada and Bo, 8 May 2023")
        self.assertIn("Session 1, at 13:05.", first)
        self.assertEqual(first[-2:], ["- Ada: I bought a kiln. It is red.", "- Bo: Look! [a photo: a photo of a vase]"])
        self.assertEqual([(question.id, question.kind) for question in vault.questions], [("26-0", "multi-hop"), ("26-1", "single-hop")])
        self.assertEqual(vault.questions[0].evidence, [Place("2023-05-08 session 01.md", 5, 5), Place("2023-06-02 session 12.md", 5, 5)])
        self.assertEqual(vault.questions[1].evidence, [Place("2023-05-08 session 01.md", 6, 6)])
        self.assertEqual(left_out, 2)

    def test_an_older_clone_and_the_development_part_are_read_too(self):
        (self.root / "data").mkdir()
        with zipfile.ZipFile(self.root / "data/locomo10.zip", "w") as archive:
            for name in ("26", "47"):
                archive.writestr(f"data/v2/{name}.json", json.dumps({**CONVERSATION, "qa": ASKED}))
        self.assertEqual([vault.name for vault in locomo.read(self.root)[0]], ["locomo-26", "locomo-47"])
        self.assertEqual([vault.name for vault in locomo.read(self.root, development=True)[0]], ["locomo-26"])

    def test_another_folder_is_refused_by_name(self):
        with self.assertRaisesRegex(Unusable, "snap-research/locomo"):
            locomo.read(self.root)
        with self.assertRaisesRegex(Unusable, "mohammadtavakoli78/BEAM"):
            beam.read(self.root)
        with self.assertRaisesRegex(Unusable, "tenurehq/precisionMemBench"):
            precision.read(self.root)


class Beam(Folder):
    def test_an_exchange_is_a_note_and_evidence_the_lines_of_its_messages(self):
        for number in (3, 11):
            self.write(f"chats/100K/{number}/chat.json", CHAT)
            self.write(f"chats/100K/{number}/probing_questions/probing_questions.json", PROBES)
        self.assertEqual([vault.name for vault in beam.read(self.root)[0]], ["beam-3", "beam-11"])
        [vault], left_out = beam.read(self.root, development=True)
        names = ["2024-03-05 conversation 01.md", "2024-03-05 conversation 02.md", "2024-04-01 conversation 01.md"]
        self.assertEqual(list(vault.notes), names)
        self.assertEqual(vault.notes[names[0]], [
            "# Conversation 1 of 5 March 2024", "", "**User**", "", "Plan my week", "", "**Assistant**", "",
            "Sure:", "```py", "x = 1 y", "```", "",
        ])
        self.assertEqual(vault.notes[names[1]][4], "Always answer in tables")
        self.assertEqual(vault.notes[names[2]][4], "Use a -> b")
        evidence = {question.kind: question.evidence for question in vault.questions}
        self.assertEqual(evidence, {
            "abstention": [],
            "knowledge_update": [Place(names[0], 5, 5), Place(names[2], 5, 5)],
            "summarization": [Place(names[0], 9, 12)],
        })
        self.assertEqual(left_out, 1)

    def test_chats_are_an_export_whose_proposals_are_judged_by_the_evidence(self):
        self.write("chats/100K/3/chat.json", CHAT)
        self.write("chats/100K/3/probing_questions/probing_questions.json", {})
        [vault], _ = beam.read(self.root)
        second = beam.export(vault)[1]
        self.assertEqual(second["mapping"]["m0"]["message"]["content"]["parts"], ["Always answer in tables"])
        path = vault.chats[1][0]
        imported = {"chats": [{"chat": f"chatgpt:{number}", "path": f"tars/chats/{number}.md"} for number in range(3)], "proposals": []}
        question = Question("1", "?", "instruction_following", [Place(path, 5, 5)])
        self.assertFalse(beam.is_proposed(vault, imported, question))
        for text, found in (("2024-03-05 Always answer in tables.", True), ("2024-03-05 Never answer.", False)):
            imported["proposals"] = [{"said": [{"chat": "tars/chats/1.md", "text": text}]}]
            self.assertEqual(beam.is_proposed(vault, imported, question), found)

    def test_written_questions_are_those_with_an_answer(self):
        vault = Vault("one", {"a/b.md": ["# B", "é"]}, [Question("1", "é?", "x", [Place("a/b.md", 2, 2)]), Question("2", "no?", "y")])
        written = vault.write(self.root / "one")
        self.assertEqual((written / "a/b.md").read_text(encoding="utf-8"), "# B\né\n")
        [row] = (self.root / "one/questions.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual(json.loads(row)["relevant"], [{"path": "a/b.md", "start_line": 2, "end_line": 2}])


class Precision(Folder):
    def setUp(self):
        super().setUp()
        self.write("fixtures/beliefs.seed.json", BELIEFS)
        self.write("fixtures/retrieval.cases.json", CASES)
        self.facts, self.cases = precision.read(self.root)

    def test_the_memory_holds_what_holds_and_archives_what_was_replaced(self):
        notes = self.facts.memory("one list", "test-user", ()).notes
        self.assertEqual(sorted(notes), ["tars/Memory.md", "tars/archive/superseded.md"])
        self.assertEqual(notes["tars/Memory.md"][:4], ["# Memory", "", "## Facts", "- the tabs (indentation, TAB): Indents with tabs."])
        self.assertEqual(len(notes["tars/Memory.md"]), 3 + 6)
        self.assertEqual(notes["tars/archive/superseded.md"][2:], [
            "## 2026-03", "- the spaces: Indented with spaces.",
            "  - was so until 2026-03-02; now: the tabs (indentation, TAB): Indents with tabs. ([[tars/Memory#Facts]])",
        ])

    def test_scopes_are_files_or_leave_the_others_out(self):
        notes = self.facts.memory("a file a scope", "test-user", ()).notes
        self.assertEqual(notes["tars/context/writing.md"][-1], "- the voice: Writes in the present tense.")
        self.assertEqual(notes["tars/Memory.md"][3:], ["- the short: Wants short answers."])
        self.assertIn("[[tars/context/code#Facts]]", notes["tars/archive/superseded.md"][-1])
        alone = self.facts.memory("the scope alone", "test-user", ("writing",)).notes
        self.assertEqual(alone, {"tars/Memory.md": ["# Memory", "", "## Facts", "- the voice: Writes in the present tense.",
                                                    "- the short: Wants short answers."]})
        self.assertEqual(self.facts.memory("one list", "new", ()).notes, {})

    def test_cases_want_what_may_come_and_pinned_facts_do_not_count(self):
        one, two, three = self.cases
        self.assertEqual((one.user, one.scopes, set(one.wanted), one.most), ("test-user", ("code",), {"tabs"}, 20))
        self.assertEqual((two.user, set(two.wanted), two.most), ("new", {"cache"}, 2))
        self.assertEqual(set(three.wanted), set())
        # The pinned fact goes, the relation brings what it connects within the scope.
        self.assertEqual(self.facts.counted(one, ["store", "link", "tabs"]), ["link", "tabs", "cache"])
        one.most = 2
        self.assertEqual(self.facts.counted(one, ["store", "link", "tabs"]), ["link"])
        one.most = 0
        self.assertEqual(self.facts.counted(one, ["tabs"]), [])

    def test_precision_and_recall_of_a_case(self):
        measured = precision.precision_and_recall
        self.assertEqual(measured(["a", "b"], {"a", "c"}), (0.5, 0.5))
        self.assertEqual(measured([], {"a"}), (0.0, 0.0))
        self.assertEqual(measured(["b"], frozenset()), (0.0, None))
        self.assertEqual(measured([], frozenset()), (None, None))


class Figures(unittest.TestCase):
    def test_notes_are_counted_once(self):
        results = [{"path": path} for path in ("a", "a", "b", "c", "c", "d")]
        evidence = [Place("a", 1, 2), Place("c", 1, 1), Place("c", 5, 5), Place("z", 1, 1)]
        self.assertEqual(figures.notes_found(results, evidence, 2), 1 / 3)
        self.assertEqual(figures.notes_found(results, evidence, 3), 2 / 3)
        self.assertEqual(figures.notes_found([], evidence, 5), 0)

    def test_the_first_result_counts_whatever_its_length(self):
        results = [{"content": "x" * length} for length in (90, 5, 5, 1)]
        self.assertEqual(len(figures.first_results(results, 50)), 1)
        self.assertEqual(len(figures.first_results(results, 96)), 2)
        self.assertEqual(len(figures.first_results(results, 100)), 3)
        self.assertEqual(figures.first_results([], 100), [])

    def test_only_lines_that_an_excerpt_shows_are_evidence(self):
        long = "The kiln stands in the shed behind the old mill, and its key hangs by the door"
        notes = {"a.md": ["# A", "", "one", "two <b>", "-", long]}
        shown = lambda text: figures.shown_lines(notes["a.md"], 1, 6, text)
        self.assertEqual(shown("# A\n\n…\ntwo <b>"), {1, 4})
        self.assertEqual(shown("… and its key hangs by the door"), {6})
        # A short part of a cut line could be that of any line.
        self.assertEqual(shown("the …"), set())
        self.assertEqual(figures.shown_lines(notes["a.md"], 1, 3, "one\ntwo <b>"), {3})
        excerpts = figures.of_context([{"path": "a.md", "start_line": 3, "end_line": 6, "text": "one\n…\ntwo &lt;b&gt;"}])
        evidence = [Place("a.md", 3, 3), Place("a.md", 4, 5), Place("a.md", 6, 6), Place("b.md", 3, 3)]
        self.assertEqual(figures.evidence_shown(notes, excerpts, evidence), 0.5)

    def test_facts_in_a_block_come_in_its_order(self):
        texts = ["x: Result<T> or an error", "y: a rather long sentence about the harbour", "z: not there", "w: first"]
        shown = ["- w: first", "- y: a rather long sentence …", "- x: Result&lt;T&gt; or an error"]
        block = "\n".join(["<tars-memory>", '<source at="tars/Memory.md:4"/>', *shown, "</tars-memory>"])
        self.assertEqual(figures.texts_shown(block, texts), [3, 1, 0])
        self.assertEqual(figures.texts_shown("", texts), [])

    def test_an_interval_holds_the_mean_and_is_the_same_each_time(self):
        values = [0.0, 1.0] * 50
        low, high = figures.interval(values)
        self.assertTrue(0.35 < low < figures.mean(values) < high < 0.65, (low, high))
        self.assertEqual((low, high), figures.interval(values))
        self.assertEqual(figures.interval([0.5]), (0.5, 0.5))

    def test_runs_are_compared_by_question(self):
        before = {"a": 0.0, "b": 0.5, "c": 1.0}
        after = {"c": 1.0, "b": 1.0, "a": 0.5}
        change, low, high, no_better = figures.difference(before, after)
        self.assertAlmostEqual(change, 1 / 3)
        self.assertTrue(0 <= low <= change <= high <= 0.5 and 0 < no_better < 0.2, (low, high, no_better))
        self.assertEqual(figures.difference(before, before), (0, 0, 0, 1))

    def test_silence_where_nothing_was_wanted_is_a_gain_of_precision(self):
        before = {str(number): 1.0 for number in range(50)}
        noisy = {f"noise {number}": 0.0 for number in range(50)}
        change, low, _, no_better = figures.difference({**before, **noisy}, before)
        self.assertAlmostEqual(change, 0.5)
        self.assertTrue(low > 0.3 and no_better == 0, (low, no_better))

    def test_lines_are_those_of_every_program(self):
        self.assertEqual(lines_of("a\r\nb\rc\u2028d\x0ce\n"), ["a", "b", "c d e", ""])



class NearMisses(unittest.TestCase):
    NOTE = [f"line {number}" for number in range(1, 21)]

    def asking(self, name, first=None, last=None):
        place = {"path": "note.md"} if first is None else {"path": "note.md", "start_line": first, "end_line": last}
        return {"query": name, "relevant": [place]}

    def test_questions_without_answering_lines_have_no_near_miss(self):
        texts = {"note.md": self.NOTE}
        whole, most = self.asking("whole"), self.asking("most", 2, 20)
        missing = {"query": "missing", "relevant": [{"path": "gone.md", "start_line": 1, "end_line": 1}]}
        self.assertEqual(near_misses.parts([whole, most, missing], texts), [])

    def test_a_note_loses_few_lines_at_a_time(self):
        asked = [self.asking("a", 1, 3), self.asking("b", 4, 4), self.asking("c", 5, 10)]
        found = [([one["query"] for one in these], lines["note.md"]) for these, lines in near_misses.parts(asked, {"note.md": self.NOTE})]
        self.assertEqual(found, [(["a", "b"], {1, 2, 3, 4}), (["c"], {5, 6, 7, 8, 9, 10})])

    def test_the_rest_of_a_note_stays_and_the_vault_is_untouched(self):
        with tempfile.TemporaryDirectory() as folder:
            vault, data, own = (Path(folder) / name for name in ("notes", "index", "own"))
            for one in (vault, data, own):
                one.mkdir()
            (vault / "note.md").write_text("\n".join(self.NOTE), encoding="utf-8")

            def ask(where, _, queries):
                return [(where / "note.md").read_text(encoding="utf-8").split("\n")] * len(queries)

            asked = [self.asking("a", 2, 3), self.asking("c", 5, 10)]
            found = {one["query"]: answer for one, answer in near_misses.asked(asked, vault, data, own, lambda *_: None, ask)}
            self.assertEqual(found, {"a": self.NOTE[:1] + self.NOTE[3:], "c": self.NOTE[:4] + self.NOTE[10:]})
            self.assertEqual((vault / "note.md").read_text(encoding="utf-8").split("\n"), self.NOTE)


if __name__ == "__main__":
    unittest.main()
