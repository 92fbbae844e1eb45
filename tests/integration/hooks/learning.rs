//! Learning from the use of lines.

use serde_json::{Value, json};

use super::{Plugin, event};

const QUESTION: &str = "how long does sourdough rest in the refrigerator before baking";
/// After everything that the sessions were shown.
const LATER: &str = "2026-11-17T12:01:00Z[UTC]";

impl Plugin {
    /// Plays a session that is shown the line and uses it.
    fn uses_line(&self, session: &str) {
        let said = json!({"session_id": session, "prompt": QUESTION});
        assert!(self.context("user-prompt-submit", &event("UserPromptSubmit", said)).contains("overnight"));
        self.vault.tars(["why", "--session", session, "--helpful", "1"]).run().success();
    }

    fn hits(&self) -> Value {
        let asked = self.vault.tars(["search", QUESTION, "--explain", "--json"]);
        asked.run().success().json()["results"].clone()
    }

    fn set_credit(&self, credit: &str) {
        self.vault.tars(["config", "set", "search.use_credit", credit]).run().success();
    }

    fn reset(&self, from: &[&str]) -> String {
        let reset = self.vault.tars([&["stats", "--recall", "--reset"][..], from].concat());
        reset.env("TARS_TEST_CLOCK", LATER).run().success().stdout().to_owned()
    }
}

#[test]
fn the_use_of_a_line_is_explained_and_can_be_reset() {
    let plugin = Plugin::new();
    let refused = plugin.vault.tars(["stats", "--recall", "--reset"]).run().code(2);
    refused.says(&["nothing was put before an agent so far"]);
    let before = plugin.hits();
    plugin.set_credit("0.15");
    assert_eq!((&before, before[0]["explanation"].get("worth")), (&plugin.hits(), None));

    ["a", "b", "c"].iter().for_each(|session| plugin.uses_line(session));
    let used = plugin.hits();
    let worth = &used[0]["explanation"]["worth"];
    assert_eq!(
        (&worth["sessions"], &worth["used"], &worth["not_helpful"]),
        (&json!(3), &json!(3), &json!(0)),
        "{used}"
    );
    assert!(worth["factor"].as_f64().is_some_and(|factor| factor > 1.0 && factor <= 1.15), "{worth}");
    assert_eq!(used[0]["score"], before[0]["score"], "a score says how relevant a line is, not how popular");
    plugin.set_credit("0.0");
    assert_eq!(plugin.hits(), before, "the setting turns it off");
    plugin.set_credit("0.15");
    let shown = plugin.vault.tars(["search", QUESTION, "--explain"]).run().success();
    assert!(shown.stdout().contains("use: shown in 3 sessions") && shown.stdout().contains("moves up (+"), "{shown}");
    let why = plugin.vault.tars(["why", "--session", "a"]).run().success();
    assert!(why.stdout().contains("shown in 3 sessions, used in 3: moves up (+"), "{why}");

    let said = plugin.reset(&[]);
    assert!(said.starts_with("the use of lines counts from 2026-11-17 12:01 on; nothing was deleted"), "{said}");
    assert_eq!(plugin.hits(), before);
    let stats = || plugin.vault.tars(["stats", "--recall", "--json"]).run().success().json()["recall"].clone();
    assert_eq!((&stats()["prompts"], &stats()["counts_from"]), (&json!(0), &json!("2026-11-17T12:01:00Z")));
    plugin.vault.tars(["why", "--session", "a"]).run().success();
    assert_eq!(plugin.reset(&["all"]), "the use of lines counts from the beginning\n");
    assert_eq!((plugin.hits(), &stats()["prompts"]), (used, &json!(3)));
    for (from, reason) in [("soon", "'soon' names no day"), ("2999-01-01", "'2999-01-01' lies in the future")] {
        plugin.vault.tars(["stats", "--recall", "--reset", from]).run().code(2).says(&[reason]);
    }
    plugin.vault.tars(["doctor"]).run().success();
}
