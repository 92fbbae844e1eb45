//! The tasks in notes: boxes in lists, read from the index.

use jiff::civil::Date;

use super::SearchError;
use super::listing::filtered;
use tars_base::domain::Query;
use tars_store::{FileDescription, Reader};
use tars_text::markdown::{CodeFence, Task, TaskState, task};

/// The conditions on tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskConditions {
    /// Only tasks in this state.
    pub state: Option<TaskState>,
    /// Conditions on their dates, all of which must hold.
    pub dates: Vec<DateCondition>,
}

/// A condition on one of the dates of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateCondition {
    /// The date.
    pub of: TaskDate,
    /// Its first and last day; `None` means that the task has no such date.
    pub days: Option<(Date, Date)>,
}

/// One of the dates of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskDate {
    /// When it is due.
    Due,
    /// When somebody means to work on it.
    Scheduled,
    /// The first day on which it can be done.
    Start,
    /// When it was written down.
    Created,
    /// When it was done.
    Done,
}

/// A task and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteTask {
    /// The index of its note in [`TaskList::notes`].
    pub note: usize,
    /// Its line.
    pub line: usize,
    /// The heading path above it.
    pub heading: String,
    /// The task.
    pub task: Task,
}

/// Tasks, by due date (those without one last), then by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskList {
    /// The notes that were looked through.
    pub notes: Vec<FileDescription>,
    /// Their tasks.
    pub tasks: Vec<NoteTask>,
    /// Remarks for the person about how the query was understood.
    pub remarks: Vec<String>,
}

impl DateCondition {
    fn holds(&self, task: &Task) -> bool {
        let date = match self.of {
            TaskDate::Due => task.due,
            TaskDate::Scheduled => task.scheduled,
            TaskDate::Start => task.start,
            TaskDate::Created => task.created,
            TaskDate::Done => task.done,
        };
        match (date, self.days) {
            (None, days) => days.is_none(),
            (Some(date), days) => days.is_some_and(|(first, last)| (first..=last).contains(&date)),
        }
    }
}

/// Returns the tasks in the notes that the filters of a query admit; its other words must be in the text of a task.
///
/// # Errors
/// A filter is invalid, or the index cannot be read.
pub fn list_tasks(reader: &dyn Reader, query: &Query, conditions: &TaskConditions) -> Result<TaskList, SearchError> {
    let (list, words) = filtered(reader, query)?;
    let mut tasks = Vec::new();
    for (note, file) in list.notes.iter().enumerate() {
        let (mut fence, mut read) = (CodeFence::default(), 0);
        for chunk in reader.chunk_range(file.id, 0, u32::MAX)? {
            for (number, line) in (chunk.start_line..).zip(chunk.content.split('\n')) {
                // The rest of a long line is in the next chunk, and belongs to the task at its beginning.
                if number <= read {
                    continue;
                }
                read = number;
                if fence.holds(line) {
                    continue;
                }
                let Some(task) = task(line) else { continue };
                let is_meant = conditions.state.is_none_or(|state| state == task.state())
                    && conditions.dates.iter().all(|condition| condition.holds(&task))
                    && words.admits(&[&task.text]);
                if is_meant {
                    tasks.push(NoteTask { note, line: number, heading: chunk.heading_at(number).to_owned(), task });
                }
            }
        }
    }
    // The notes are in order, and the sort keeps the order of equal dates.
    tasks.sort_by_key(|one| (one.task.due.is_none(), one.task.due));
    Ok(TaskList { notes: list.notes, tasks, remarks: list.remarks })
}
