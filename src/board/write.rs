//! The thread that writes: one action after another, each as the command would do it.

use std::sync::mpsc::{Receiver, Sender};

use super::act::Deed;
use super::event::{Answered, BoardEvent, RefusedText};
use super::{BoardSettings, Lent};
use crate::model::remedy::Remedy;
use crate::ops::{NoProgress, Notice, Refusal};

/// Performs actions until the board ends.
pub(super) fn answer(settings: &BoardSettings, deeds: &Receiver<Deed>, events: &Sender<BoardEvent>) {
    for deed in deeds {
        let done = perform(settings, deed.clone());
        if events.send(BoardEvent::Done(deed, done)).is_err() {
            return;
        }
    }
}

fn perform(settings: &BoardSettings, deed: Deed) -> Result<Answered, RefusedText> {
    let lent = settings.lent;
    // A new session each time, since the settings may have changed.
    let session = settings.session(Box::new(NoProgress)).map_err(|refusal| lent.refused(refusal, &[]))?;
    match deed.perform(&session) {
        Ok((issue, (message, notices))) => {
            let notices = notices.iter().map(|it| lent.with_remedies(&it.message, &it.remedies)).collect();
            Ok(Answered { issue, message, notices })
        }
        Err(refusal) => Err(lent.refused(refusal, &session.notices())),
    }
}

impl Lent {
    /// A message, followed by its remedies.
    pub(super) fn with_remedies(self, message: &str, remedies: &[Remedy]) -> String {
        (self.spell)(remedies).map_or_else(|| message.to_owned(), |remedies| format!("{message}; {remedies}"))
    }

    /// A refusal as text, with the notices that came before it.
    pub(super) fn refused(self, refusal: Refusal, notices: &[Notice]) -> RefusedText {
        let Refusal { message, details, remedies, .. } = refusal;
        let details = details.iter().map(|it| self.with_remedies(&it.message, &it.remedies));
        let notices = notices.iter().map(|it| self.with_remedies(&it.message, &it.remedies));
        RefusedText { message, details: details.chain(notices).collect(), hint: (self.spell)(&remedies) }
    }
}
