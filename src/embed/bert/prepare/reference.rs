//! Reference texts for comparing a prepared model with its original: short and long, several scripts, prose, lists,
//! code, and odd input. A model's window may truncate the long ones.

pub(in crate::bert) const TEXTS: [&str; 28] = [
    "coffee",
    "Where did we put the idle_cores keys?",
    "how to undo the last commit without losing changes",
    "TypeError: cannot read properties of undefined (reading 'length')",
    "The ferry leaves at a quarter past six, but only on weekdays.",
    "Our landlord agreed to repair the boiler before the end of October and to lower the rent for the two weeks in which \
     there was no hot water.",
    "Decided to keep SQLite: one file, no server, good enough for a hundred thousand notes. Revisit if several machines \
     have to write at once.",
    "- [x] call the dentist\n- [ ] renew the passport\n- [ ] ask Mira about the tent #camping",
    "| plan | price | seats |\n|---|---|---|\n| basic | 4 EUR | 1 |\n| team | 19 EUR | 5 |",
    "fn mean(values: &[f64]) -> Option<f64> {\n    if values.is_empty() {\n        return None;\n    }\n    \
     Some(values.iter().sum::<f64>() / values.len() as f64)\n}",
    "def retry(times, wait):\n    for attempt in range(times):\n        try:\n            return fetch()\n        \
     except TimeoutError:\n            time.sleep(wait * 2 ** attempt)\n    raise RuntimeError('no answer')",
    "SELECT name, count(*) FROM orders JOIN customers USING (customer_id) WHERE placed_at > '2024-01-01' GROUP BY name;",
    "$ tar -czf backup-$(date +%F).tar.gz --exclude=node_modules ~/projects",
    "https://example.org/handbook/chapter-7.html?highlight=insulin#dosage",
    "Die Sitzung wurde auf Donnerstag verschoben, weil der Beamer im großen Saal ausgefallen ist.",
    "Le médecin m'a conseillé de marcher une demi-heure par jour et d'éviter le café après seize heures.",
    "La biblioteca cierra a las ocho; los libros se devuelven en el buzón de la entrada.",
    "Завтра утром надо забрать посылку на почте, паспорт лежит в верхнем ящике.",
    "明天下午三点在图书馆门口见面，请带上借书证和身份证。",
    "毎朝、駅まで歩きながら英語のラジオを聞くことにした。",
    "내일 회의는 오후 두 시로 연기되었습니다. 자료를 미리 읽어 주세요.",
    "درجة الحرارة غدا أقل من المعتاد في هذا الشهر",
    "🎉 Release day! v2.0.1 → fixed 3 bugs, broke 0 (we hope) 🤞",
    "ﬁnal Ⅻ ½ №5 naïve Ångström — “quoted” … C++ / C# / .NET",
    "aGVsbG8gd29ybGQgdGhpcyBpcyBub3QgYSBzZWNyZXQ= 3f2504e0-4f89-11d3-9a0c-0305e82c3301 192.168.0.17",
    "# Sourdough\n\n## Feeding\n\nFeed the starter twice a day with equal parts of flour and water by weight. If it was \
     forgotten in the fridge, pour off the grey liquid, keep one spoonful, and feed it three times in a row before baking. \
     It is ready when it doubles within six hours and smells of yoghurt rather than of vinegar.\n\n## Baking\n\nMix the \
     dough in the evening, fold it four times, and let it rest overnight in a cool room. Heat the oven with the pot inside \
     for at least forty minutes. Bake with the lid on for twenty-five minutes and without it for another twenty, until \
     the crust is dark and the loaf sounds hollow when it is knocked on from below.",
    "Minutes of the meeting on the new garden. Present were the five families of the ground floor and the architect. The \
     old walnut tree stays; its roots have been looked at and are sound. The shed moves to the northern wall, where it \
     takes no light from anybody. There was a long debate about the pond: two families have small children and fear that \
     one of them might fall in, the others remember how many frogs there were before it was filled up. The architect will \
     draw a shallow one with a grating below the surface, and bring prices for both. The beds along the path go to \
     whoever wants to look after them, one each, by lot in March. Water comes from the barrel as long as there is any. \
     Tools are bought together, up to three hundred in the first year, and hang in the shed with the key on the hook \
     beside the cellar door. The next meeting is on the first Sunday in February at four o'clock, with cake.",
    "The old lighthouse keeper wrote down the weather three times a day for forty-one years. His books stand in the town \
     hall: wind, clouds, the height of the swell, and now and then a line about a ship, a storm, or a bird that had lost \
     its way. A student has begun to type them in. She found that the first swallows came nine days earlier at the end \
     than at the beginning, that fog in May has become rare, and that he never once missed an evening, not even on the \
     day his daughter was born, when the entry reads: calm, clear, a girl. The university wants to compare the series \
     with the measurements of the harbour office, which are gappy until 1962 because the instrument was struck by \
     lightning twice and nobody had money to replace it. If both agree in the years that they share, his notes could \
     fill the gaps, and the coast would have one of the longest records of its kind. The keeper's daughter, who is past \
     seventy now, has asked for a copy of every page on which the word owl stands. Nobody knows why.",
];
