//! The thread that writes: one action after another, each as the command would do it.

use std::sync::mpsc::{Receiver, Sender};

use super::BoardSettings;
use super::act::Deed;
use super::event::{Answered, BoardEvent, RefusedText};
use crate::ops::{NoProgress, Notice, Refusal};
use crate::page::remedy::{spelled, with_remedies};

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
    // A new session each time, since the settings may have changed.
    let session = settings.session(Box::new(NoProgress)).map_err(|refusal| refused(refusal, &[]))?;
    match deed.perform(&session) {
        Ok((issue, report)) => {
            let notices = report.notices.iter();
            let notices = notices.map(|notice| with_remedies(&notice.message, &notice.remedies)).collect();
            Ok(Answered { issue, message: report.words, notices })
        }
        Err(refusal) => Err(refused(refusal, &session.notices())),
    }
}

/// A refusal as text, with the notices that came before it.
pub(super) fn refused(refusal: Refusal, notices: &[Notice]) -> RefusedText {
    let Refusal { message, details, remedies, .. } = refusal;
    let details = details.iter().map(|detail| with_remedies(&detail.message, &detail.remedies));
    let notices = notices.iter().map(|notice| with_remedies(&notice.message, &notice.remedies));
    RefusedText { message, details: details.chain(notices).collect(), hint: spelled(&remedies) }
}
