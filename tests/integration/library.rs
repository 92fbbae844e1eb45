//! A small vault for tests that only read.

/// Path and text of each note.
pub(crate) const NOTES: &[(&str, &str)] = &[
    ("Garden/Tomatoes.md", TOMATOES),
    ("Garden/Compost.md", COMPOST),
    ("Projects/Lighthouse.md", LIGHTHOUSE),
    ("Projects/Archive/Windmill.md", WINDMILL),
    ("Travel/Lisbon.md", LISBON),
    ("Code/Snippets.md", SNIPPETS),
    ("Recipes/Crème brûlée.md", CUSTARD),
    ("语言/战国.md", GAMES),
    ("语言/日本語.md", JAPANESE),
    ("Journal/2023-05-08.md", MAY),
    ("Journal/2023-06-11.md", JUNE),
    ("Card.md", CARD),
    ("tars/Memory.md", "# Memory\n\n- The owner drinks green tea in the morning.\n"),
    ("tars/Procedural.md", "# Procedural\n\n- Releases are tagged on Fridays after the review.\n"),
    ("tars/2024-02-03.md", "# 2024-02-03\n\n- 09:10 Ordered a new bicycle chain.\n"),
    ("tars/sessions/first.md", "# Session\n\nWe compared the bicycle brakes and chose discs.\n"),
];

const TOMATOES: &str = "---
title: Growing tomatoes
aliases: [love apples]
tags: [garden/vegetables, summer]
soil: loamy
---

# Growing tomatoes

## Sowing

Seeds go into trays in March, under glass, two in each cell.

## Watering

Give them a deep drink every third day; wet leaves invite blight.
";

const COMPOST: &str = "# Compost

Kitchen scraps and dry leaves in equal parts. #garden/soil

<!-- tars:anchor zebrafish -->

Turn the heap every two weeks. ![heap](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgwombatAAEElEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==)
";

const LIGHTHOUSE: &str = "---
tags: [project]
date: 2024-03-15
---

# Lighthouse

## Decision

We store everything in one SQLite file because backups are then a single copy.

## Risks

The cliff erodes by half a metre each winter.
";

const WINDMILL: &str = "---
tags: [project, archived]
date: 2021-09-01
---

# Windmill

The sails were sold and the money went to the orphanage.
";

const LISBON: &str = "# Lisbon

The physician told me to rest my knee, so we took the tram uphill instead of walking.
";

const SNIPPETS: &str = "# Snippets

The option `foo-bar_baz` switches the cache off. See `src/main.rs` for the entry point,
and `parseHttpHeader` for the parser. The version is v1.24.3.
";

const CUSTARD: &str = "# Crème brûlée

Whisk the yolks with sugar, then burn the top with a torch.
";

const GAMES: &str = "# 游戏

《战国无双3》是由光荣和ω-force开发的战国无双系列的正统第三续作。

水是生命之源。
";

const JAPANESE: &str = "# 日本語

東京タワーは港区にあります。カタカナとひらがなを勉強しました。
";

const MAY: &str = "# Monday

Saw the dentist, then repaired the fence.
";

const JUNE: &str = "# Sunday

Rowed across the lake with the neighbours.
";

const CARD: &str = "---
title: Membership card
number: QX-5521
tags: [papers]
---
";
