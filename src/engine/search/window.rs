//! Widens hits by their context, and fits hits into a token budget.

use std::collections::HashMap;

use super::SearchError;
use super::answer_only::{answer_only, from_sentence};
use super::breadth::Breadth;
use super::chunk_excerpt::excerpt;
use super::requests::{requests_first, with_requests};
use tars_base::domain::{CountTokens, Hit};
use tars_rank::{Excerpt, Form, PackCandidate, PackedHit, Span, join_excerpts, pack};
use tars_store::{FileId, Reader};
use tars_text::sentences::pieces;

/// Widens every hit by `window` chunks on either side. No text appears twice: a hit whose context touches that of a better
/// one is merged into it, at the better one's rank.
///
/// # Errors
/// The store failed.
pub fn widen(store: &dyn Reader, hits: Vec<Hit>, window: u32) -> Result<Vec<Hit>, SearchError> {
    if window == 0 {
        return Ok(hits);
    }
    let mut groups: Vec<(FileId, Vec<Hit>, Vec<Excerpt>)> = Vec::new();
    let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
    for hit in hits {
        let Some(chunk) = store.chunk_by_id(&hit.id)? else { continue };
        let around = store.chunk_range(
            chunk.file,
            chunk.sequence.saturating_sub(window),
            chunk.sequence.saturating_add(window),
        )?;
        let excerpts = join_excerpts(around.into_iter().map(excerpt).collect());
        let touching = by_file.get(&chunk.file).into_iter().flatten().copied().find(|group| {
            join_excerpts(groups[*group].2.iter().chain(&excerpts).cloned().collect()).len()
                < groups[*group].2.len() + excerpts.len()
        });
        match touching {
            Some(group) => {
                let (_, members, known) = &mut groups[group];
                members.push(hit);
                *known = join_excerpts(known.drain(..).chain(excerpts).collect());
                absorb(&mut groups, group);
            }
            None => {
                by_file.entry(chunk.file).or_default().push(groups.len());
                groups.push((chunk.file, vec![hit], excerpts));
            }
        }
    }
    Ok(groups.into_iter().filter_map(|(_, members, excerpts)| widened(members, excerpts)).collect())
}

/// Merges later groups of the same file into a group that has grown and may touch them now.
fn absorb(groups: &mut [(FileId, Vec<Hit>, Vec<Excerpt>)], group: usize) {
    let (head, tail) = groups.split_at_mut(group + 1);
    let (file, members, known) = &mut head[group];
    for (_, their_members, theirs) in tail.iter_mut().filter(|(other, _, _)| other == file) {
        let joined = join_excerpts(known.iter().chain(theirs.iter()).cloned().collect());
        if !theirs.is_empty() && joined.len() < known.len() + theirs.len() {
            *known = joined;
            theirs.clear();
            members.append(their_members);
        }
    }
}

fn widened(members: Vec<Hit>, excerpts: Vec<Excerpt>) -> Option<Hit> {
    let mut best = members.into_iter().next()?;
    let own = (best.start_line, best.start_column)..=(best.end_line, best.end_column.unwrap_or(usize::MAX));
    let holds = |excerpt: &Excerpt| excerpt.start() <= *own.start() && *own.end() <= excerpt.end();
    if let Some(around) = excerpts.into_iter().find(holds) {
        (best.start_line, best.start_column) = (around.start_line, around.start_column);
        (best.end_line, best.end_column) = (around.end_line, around.end_column);
        best.content = around.content;
    }
    Some(best)
}

/// Fills a budget of tokens with the texts of hits (best first), as [`pack`] describes: the best whole, of the others the lines that answer
/// ([`answer_only`]), and if room is left, more of them whole. A passage that is larger than the budget is cut at a line end: to its first
/// lines, or to the lines from the answering line on if the first lines do not reach it. An answering line that is too long alone is cut to
/// the answering sentence and those that follow. A hit that does not fit is skipped, and smaller ones after it may still fit. `breadth` says
/// how many come whole, and in which order the texts come. The person's words before an answer in a saved chat come with it, where they are
/// known.
pub fn fit(hits: Vec<Hit>, budget: usize, counter: &dyn CountTokens, breadth: Breadth) -> Vec<Hit> {
    let hits = breadth.in_turns(hits, |hit| (hit.collection.clone(), hit.path.clone()));
    let mut hits = with_requests(hits, breadth.whole, |hit| hit, Some);
    for hit in &mut hits {
        if counter.count(&hit.content) > budget {
            cut(hit, budget, counter);
        }
    }
    hits.retain(|hit| !hit.content.is_empty());
    let answers: Vec<Hit> = hits.iter().map(answer_only).collect();
    let span = |hit: &Hit| Span {
        start: (hit.start_line, hit.start_column),
        end: (hit.end_line, hit.end_column.unwrap_or(usize::MAX)),
        size: counter.count(&hit.content),
    };
    let file = |hit: &Hit| (hit.collection.clone(), hit.path.clone());
    let mut files: HashMap<(String, String), usize> = HashMap::new();
    let mut candidates = Vec::new();
    for (hit, answer) in hits.iter().zip(&answers) {
        let next = files.len();
        let file = *files.entry(file(hit)).or_insert(next);
        candidates.push(PackCandidate { file, line: span(answer), own: span(hit), around: None });
    }
    let shown = |packed: PackedHit| match packed.form {
        Form::Line => answers[packed.candidate].clone(),
        Form::Passage | Form::Neighbours => hits[packed.candidate].clone(),
    };
    let shown = pack(&candidates, budget, breadth.whole).into_iter().map(shown).collect();
    breadth.in_order(requests_first(shown, |hit| hit))
}

fn cut(hit: &mut Hit, budget: usize, counter: &dyn CountTokens) {
    let before = hit.line.saturating_sub(hit.start_line);
    let mut first = 0;
    let (mut kept, mut count) = leading_lines(hit.content.split('\n'), budget, counter);
    if count <= before {
        first = before;
        (kept, count) = leading_lines(hit.content.split('\n').skip(before), budget, counter);
    }
    if count == 0 {
        return cut_within_line(hit, budget, counter);
    }
    let is_cut = first + count < hit.content.split('\n').count();
    if first > 0 {
        hit.start_column = 0;
    }
    hit.start_line += first;
    hit.end_line = hit.start_line + count - 1;
    hit.end_column = hit.end_column.filter(|_| !is_cut);
    hit.content = kept;
}

/// Cuts a hit to its answering sentence and as many of the line's next as fit.
fn cut_within_line(hit: &mut Hit, budget: usize, counter: &dyn CountTokens) {
    let shown = hit.from_answer();
    let line = shown.split('\n').next().unwrap_or_default();
    let whole = pieces(line, budget, &|text| counter.count(text), &[]).first().map_or("", |range| &line[range.clone()]);
    *hit = from_sentence(hit, whole.trim_end().len());
}

/// Returns the leading lines that fit into `budget` tokens, and their number.
fn leading_lines<'t>(
    lines: impl Iterator<Item = &'t str>,
    budget: usize,
    counter: &dyn CountTokens,
) -> (String, usize) {
    let (mut kept, mut count) = (String::new(), 0);
    for line in lines {
        let longer = if count == 0 { line.to_owned() } else { format!("{kept}\n{line}") };
        if counter.count(&longer) > budget {
            break;
        }
        kept = longer;
        count += 1;
    }
    (kept, count)
}
