//! Tells the person once per remote place what is sent there.

use super::tools::one_line;
use super::{Assistant, AssistantError, ChatFrontend, TurnEvent};
use tars_base::{disk, private};

/// File that lists the remote places that the person was told about, one per line.
const DISCLOSED: &str = "told.txt";
const LARGEST_DISCLOSED: u64 = 64 << 10;

impl Assistant<'_, '_> {
    /// Tells the person once per remote place what is sent there.
    pub(super) fn notify_destination(&self, frontend: &mut dyn ChatFrontend) -> Result<(), AssistantError> {
        let Some(place) = self.model.as_ref().and_then(|model| model.remote_destination.as_ref()) else {
            return Ok(());
        };
        let line = format!(
            "this goes to {place}: what you say, what tools find, Memory.md, Procedural.md, today's log and passages of notes, without \
             secrets and private notes; /context shows it, chat.private_collections keeps collections out"
        );
        self.notify_once(place, &line, frontend)
    }

    /// Shows a notice about a remote place, once over all conversations.
    pub(super) fn notify_once(
        &self,
        place: &str,
        line: &str,
        frontend: &mut dyn ChatFrontend,
    ) -> Result<(), AssistantError> {
        let folder = self.service.app().model_folder();
        let disclosed = match private::read(&folder.join(DISCLOSED), LARGEST_DISCLOSED) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error.into()),
        };
        let place = one_line(place, 300);
        if disclosed.lines().any(|known| known == place) {
            return Ok(());
        }
        frontend.show(TurnEvent::Notice(line));
        private::create_folder(&folder)?;
        let text = format!("{disclosed}{place}\n");
        Ok(disk::write_atomic(&disk::Folder::open(&folder)?, DISCLOSED, text.as_bytes(), 0o600)?)
    }
}
