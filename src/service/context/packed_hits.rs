//! Packs hits: the best with their neighbours, others by the lines that answer.

use std::cmp::Ordering;

use super::Chosen;
use crate::{ExpandRequest, Service, VAULT};
use tars_agent::context_block::{AnswerLine, Keep, Piece, Source};
use tars_base::domain::Hit;
use tars_engine::search::{Breadth, Expansion, answer_only, by_day, requests_first, with_requests};
use tars_rank::{Excerpt, Form, PackCandidate, PackedHit, Span, join_excerpts, pack};
use tars_text::redact::redact_path;
use tars_text::sentences::{MAX_SENTENCE, sentences};

/// Maximum number of hits with neighbours: as many as a block has room for.
const MAX_WITH_NEIGHBOURS: usize = 5;

/// A hit, the lines in it that answer, and the lines around it if they are known.
struct HitWithNeighbours {
    hit: Hit,
    line: Excerpt,
    own: Excerpt,
    around: Option<Excerpt>,
    /// Whether it is the person's words before an answer instead of a hit.
    is_request: bool,
}

/// Hits, best first.
pub(super) struct PackedHits(Vec<HitWithNeighbours>);

impl PackedHits {
    /// Looks up the neighbours of the best hits.
    pub(super) fn new(hits: Vec<Hit>, service: &Service<'_>) -> Self {
        let find = |(index, hit): (usize, Hit)| {
            // The expansion of a chunk that was just replaced has another id, and is not used.
            let around = (index < MAX_WITH_NEIGHBOURS).then(|| neighbours(service, &hit)).flatten();
            let around = around.filter(|around| around.id == hit.id).map(|around| Excerpt {
                start_line: around.start_line,
                start_column: around.start_column,
                end_line: around.end_line,
                end_column: around.end_column,
                content: around.content,
            });
            let (line, own) = (excerpt(&answer_only(&hit)), excerpt(&hit));
            let mut find = HitWithNeighbours { hit, line, own, around, is_request: false };
            if find.piece(&find.line).is_none() {
                // A block shows no comments.
                find.line = find.own.clone();
            }
            find
        };
        let finds = hits.into_iter().enumerate().map(find);
        Self(finds.filter(|find| find.piece(&find.own).is_some()).collect())
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the hits whose own lines `skip` selects.
    pub(super) fn unless(mut self, skip: &dyn Fn(&Piece) -> bool) -> Self {
        self.0.retain(|find| !find.piece(&find.own).is_some_and(|piece| skip(&piece)));
        self
    }

    /// Returns the cost of all hits with their neighbours.
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(|find| find.cost(find.around.as_ref().unwrap_or(&find.own))).sum()
    }

    /// Removes the hits within one of these pieces of the vault.
    pub(super) fn without(mut self, pieces: &[Piece]) -> Self {
        self.0.retain(|find| {
            // Compares visible lines: a chunk holds comments and blank lines that no piece shows.
            let lines = find.piece(&find.own).map(|own| own.lines());
            let shown = |piece: &Piece| {
                let (first, last) = piece.lines();
                piece.source().path == redact_path(&find.hit.path)
                    && lines.is_none_or(|(start, end)| first <= start && end <= last)
            };
            find.hit.collection != VAULT || !pieces.iter().any(shown)
        });
        self
    }

    /// Packs the hits into `units`, see [`pack`]; touching hits of one file become one piece. Returns the pieces, best first or in order of
    /// time as `breadth` says, and whether they hold every hit.
    pub(super) fn pack(self, units: usize, breadth: Breadth) -> (Vec<Chosen>, bool) {
        let all = self.0.len();
        let finds: Vec<HitWithNeighbours> = self.0.into_iter().filter_map(|find| find.cut_to(units)).collect();
        let finds = breadth.in_turns(finds, |find| (find.hit.collection.clone(), find.hit.path.clone()));
        let finds =
            with_requests(finds, breadth.whole, |find| &find.hit, |hit| HitWithNeighbours::request(hit).cut_to(units));
        let file = |find: &HitWithNeighbours| finds.iter().position(|other| other.is_beside(find)).unwrap_or_default();
        let offer = |find: &HitWithNeighbours| {
            let span = |lines: &Excerpt| Span { start: lines.start(), end: lines.end(), size: find.cost(lines) };
            PackCandidate {
                file: file(find),
                line: span(&find.line),
                own: span(&find.own),
                around: find.around.as_ref().map(span),
            }
        };
        let offers: Vec<PackCandidate> = finds.iter().map(offer).collect();
        let shown = |taken: PackedHit| {
            let find = &finds[taken.candidate];
            let lines = match taken.form {
                Form::Line => &find.line,
                Form::Passage => &find.own,
                Form::Neighbours => find.around.as_ref().unwrap_or(&find.own),
            };
            (find, lines)
        };
        let taken: Vec<(&HitWithNeighbours, &Excerpt)> =
            requests_first(pack(&offers, units, breadth.whole).into_iter().map(shown).collect(), |(find, _)| &find.hit);

        let mut pieces: Vec<Chosen> = Vec::new();
        let mut held = 0;
        for (index, (first, _)) in taken.iter().enumerate() {
            if taken[..index].iter().any(|(other, _)| other.is_beside(first)) {
                continue;
            }
            let of_file = taken.iter().filter(|(other, _)| other.is_beside(first));
            for lines in join_excerpts(of_file.clone().map(|(_, lines)| (*lines).clone()).collect()) {
                let inside = |find: &HitWithNeighbours| lines.holds(&find.own);
                held += finds.iter().filter(|find| !find.is_request && find.is_beside(first) && inside(find)).count();
                let Some((best, _)) = of_file.clone().find(|(_, shown)| lines.holds(shown)) else { continue };
                let Some(piece) = best.piece(&lines).and_then(|piece| piece.cut_to(units)) else { continue };
                let collection = best.hit.collection.clone();
                pieces.push(Chosen { collection, piece, score: Some(best.hit.score) });
            }
        }
        pieces.sort_by(|left, right| match breadth.by_time {
            true => by_place(&left.piece, &right.piece),
            false => right.score.unwrap_or(0.0).total_cmp(&left.score.unwrap_or(0.0)),
        });
        (pieces, held == all)
    }
}

/// Compares two pieces by their days, and those of one day by their place.
fn by_place(left: &Piece, right: &Piece) -> Ordering {
    let place = |piece: &Piece| (piece.source().path.clone(), piece.lines());
    by_day(left.source().date, right.source().date).then_with(|| place(left).cmp(&place(right)))
}

/// Returns the lines of a hit.
fn excerpt(hit: &Hit) -> Excerpt {
    Excerpt {
        start_line: hit.start_line,
        start_column: hit.start_column,
        end_line: hit.end_line,
        end_column: hit.end_column,
        content: hit.content.clone(),
    }
}

/// Returns a hit with one chunk on either side.
fn neighbours(service: &Service<'_>, hit: &Hit) -> Option<Expansion> {
    let request = ExpandRequest { id: hit.id.as_str().to_owned(), window: Some(1), ..ExpandRequest::default() };
    request.expansion(service).ok()
}

impl HitWithNeighbours {
    fn request(hit: Hit) -> Self {
        let lines = excerpt(&hit);
        Self { hit, line: lines.clone(), own: lines, around: None, is_request: true }
    }

    fn piece(&self, lines: &Excerpt) -> Option<Piece> {
        let source = Source {
            collection: (self.hit.collection != VAULT).then(|| self.hit.collection.clone()),
            path: redact_path(&self.hit.path).into_owned(),
            answer: Some(AnswerLine {
                line: self.hit.line,
                column: self.hit.column_after((lines.start_line, lines.start_column)),
                heading: self.hit.heading.clone(),
            }),
            date: self.hit.date,
            kind: self.hit.memory_type,
        };
        Piece::new(source, lines.start_line, &lines.content, Keep::Start)
    }

    fn cost(&self, lines: &Excerpt) -> usize {
        self.piece(lines).map_or(0, |piece| piece.cost())
    }

    /// Whether both are in the same file.
    fn is_beside(&self, other: &Self) -> bool {
        (&self.hit.collection, &self.hit.path) == (&other.hit.collection, &other.hit.path)
    }

    /// Returns the hit with as many of its lines as fit, cut as in a block; `None` if no line fits.
    fn cut_to(mut self, units: usize) -> Option<Self> {
        let piece = self.piece(&self.own)?;
        if piece.cost() > units {
            let (first, last) = piece.cut_to(units)?.lines();
            let lines = self.own.content.split('\n').skip(first - self.own.start_line).take(last + 1 - first);
            let content = lines.collect::<Vec<_>>().join("\n");
            let start_column = if first == self.own.start_line { self.own.start_column } else { 0 };
            let end_column = self.own.end_column.filter(|_| last == self.own.end_line);
            self.own = Excerpt { start_line: first, start_column, end_line: last, end_column, content };
            self.around = None;
        }
        if self.cost(&self.own) > units {
            self.own = self.within_line(units)?;
        }
        if !self.own.holds(&self.line) {
            self.line = self.own.clone();
        }
        Some(self)
    }

    /// Returns as many sentences of a long answering line as fit, from the one that answers on; `None` if not one does.
    fn within_line(&self, units: usize) -> Option<Excerpt> {
        let line = self.own.content.split('\n').nth(self.hit.line.checked_sub(self.own.start_line)?)?;
        let before = self.hit.column_after((self.own.start_line, self.own.start_column));
        let from = &line[line.char_indices().nth(before)?.0..];
        let upto = |end: usize| Excerpt {
            start_line: self.hit.line,
            start_column: self.hit.column,
            end_line: self.hit.line,
            end_column: Some(self.hit.column + from[..end].chars().count()),
            content: from[..end].trim_end().to_owned(),
        };
        let excerpts = sentences(from, MAX_SENTENCE).into_iter().map(|range| upto(range.end));
        excerpts.take_while(|excerpt| self.cost(excerpt) <= units).last()
    }
}
