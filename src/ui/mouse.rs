//! The mouse: a click selects, a second one opens; the wheel scrolls.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::layout::{Regions, tabs};
use crate::request::Tab;
use crate::state::{Action, Focus, State};

impl State {
    pub(crate) fn mouse(&mut self, mouse: MouseEvent) -> Option<Action> {
        if self.has_help {
            match mouse.kind {
                MouseEventKind::ScrollUp => self.scroll_help(-3),
                MouseEventKind::ScrollDown => self.scroll_help(3),
                _ => {}
            }
            return None;
        }
        if self.bar.is_some() {
            return None;
        }
        let at = Position::new(mouse.column, mouse.row);
        let regions = Regions::of(self);
        match mouse.kind {
            MouseEventKind::ScrollUp if regions.text.contains(at) => self.scroll(-3),
            MouseEventKind::ScrollDown if regions.text.contains(at) => self.scroll(3),
            MouseEventKind::ScrollUp if regions.list.contains(at) => return self.step(-1),
            MouseEventKind::ScrollDown if regions.list.contains(at) => return self.step(1),
            MouseEventKind::Down(MouseButton::Left) if regions.tabs.contains(at) => {
                let labels = tabs(self.size.0, self.tab);
                let under = labels.iter().rev().find(|(_, label, x)| (*x..*x + label.len() as u16).contains(&at.x));
                return under.and_then(|(tab, ..)| self.show(*tab));
            }
            MouseEventKind::Down(MouseButton::Left) if regions.query.contains(at) && self.tab == Tab::Search => {
                (self.over, self.focus) = (None, Focus::Query);
            }
            MouseEventKind::Down(MouseButton::Left) if regions.list.contains(at) => {
                let page = self.page_mut();
                let under = regions.first(page) + usize::from((at.y - regions.list.y) / regions.entry);
                if under == page.selected {
                    return self.open();
                }
                if under < page.items.len() {
                    page.select(under);
                }
            }
            _ => {}
        }
        None
    }
}
