//! A driver from its first look at a run to its last.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, mpsc};

use super::Driver;
use super::landing::Landings;
use crate::agent::environment::beside_agents;
use crate::git::{GitError, Withheld};
use crate::model::{Code, Other, RemedyCall, RunId};
use crate::ops::work::publish_store;
use crate::ops::work::runs::driver::{self, RunHold};
use crate::ops::work::runs::paths::{RunPaths, clean_up, prepare_branch};
use crate::ops::work::runs::view::{RunView, existing, view};
use crate::ops::{Answer, Refusal, Session, WriteCondition};
use crate::process::left_behind::end_left_behind;
use crate::run::arrived::Arrivals;
use crate::run::crew::StartedRun;
use crate::run::limits::OtherLimits;
use crate::run::notify::Notifier;
use crate::run::stops::RunStops;
use crate::run::watch::RunWatch;
use crate::store::StoreError;

/// How many reports may wait to be read.
const NEWS: usize = 256;

impl<'a> Driver<'a> {
    /// The only process that drives the run here.
    pub(super) fn begin(
        session: &'a Session,
        id: &RunId,
        places: RunPaths,
        StartedRun { driver: begun, crew, confinement, budget }: StartedRun,
        (watch, stops): (&'a mut dyn RunWatch, Arc<RunStops>),
    ) -> Result<Self, Refusal> {
        let store = session.store();
        let environment = session.environment();
        environment.withhold(Withheld::new(beside_agents(environment.iter().cloned())));
        let found = existing(&store.snapshot()?, id)?;
        end_left_behind(&places.files);
        if let Some(path) = store.repo().lasting_lock() {
            return Err(StoreError::Git(GitError::LockFile(path)).into());
        }
        prepare_branch(store, &places, &found)?;
        let is_resumed = begun.is_none();
        let name = begun.map_or_else(|| driver::name(store, &places.files), Ok)?;
        let (sender, news) = mpsc::sync_channel(NEWS);
        let variables: Vec<_> = environment.iter().cloned().collect();
        let notifier = Notifier::of(store, &variables);
        let mut driver = Self {
            session,
            run: found.run.clone(),
            hold: Arc::new(RunHold::new(found.clone(), name.clone())),
            log: found,
            known: RefCell::default(),
            name,
            ended: RefCell::default(),
            is_offline: false,
            crew,
            places,
            watch,
            busy: BTreeMap::new(),
            threads: Vec::new(),
            sender,
            news,
            arrivals: Arrivals::default(),
            stops,
            confinement,
            head: None,
            last_end: None,
            leases_looked_at: None,
            left: BTreeMap::new(),
            notifier,
            is_resumed,
            new_budget: budget,
            over_budget: None,
            limits: Arc::default(),
            other_limits: OtherLimits::default(),
            stops_of: BTreeMap::new(),
            is_paused: false,
            landings: Landings::default(),
            waits_for_job: BTreeSet::new(),
        };
        driver.know_branch()?;
        driver.tell_start()?;
        Ok(driver)
    }

    /// Drives the run to its end, or until someone stops it.
    pub(super) fn drive(mut self) -> Answer<RunView> {
        let went_on = if self.is_resumed {
            self.go_on()
        } else {
            self.write_only_if_held();
            Ok(())
        };
        let driven = went_on.and_then(|()| self.until_nothing_is_left());
        match &driven {
            Err(refusal) if refusal.code == Code::TakenOver => self.give_run_up(),
            Err(_) => self.stop_all(),
            Ok(_) => {}
        }
        let late = self.notifier.finish();
        self.tell_warnings(&late);
        // Publish the ends even if something went wrong, since other clones wait for them.
        let is_unpublished = self.last_end.is_some() || driven.is_err();
        let published = if is_unpublished { publish_store(self.session) } else { Ok(()) };
        let is_over = match driven {
            Ok(is_over) => is_over,
            // The next driver finds what was done and not recorded.
            Err(refusal) if refusal.is_stop() => false,
            Err(refusal) => return Err(refusal),
        };
        published?;
        if is_over { self.close() } else { Err(self.stopped_run()) }
    }

    /// Why a run that is not over does not go on.
    fn stopped_run(&self) -> Refusal {
        let id = &self.run.id;
        self.refusal_of_budget().unwrap_or_else(|| {
            Refusal::new(Code::Interrupted, format!("run `{id}` was stopped"))
                .remedy(RemedyCall::new(Other::RunResume, [id]), "continues it")
        })
    }

    /// Removes what nobody needs once the run is over.
    fn close(self) -> Answer<RunView> {
        let session = self.session;
        clean_up(session, &self.places, &self.log)?;
        self.forget_what_was_said();
        publish_store(session)?;
        let store = session.store();
        let snapshot = store.snapshot()?;
        let seen = view(store, &snapshot, existing(&snapshot, &self.run.id)?)?;
        Ok(session.done(seen, None))
    }

    /// From now on, nothing is written unless this driver has the run.
    pub(super) fn write_only_if_held(&self) {
        self.session.only_if(Some(Arc::clone(&self.hold) as Arc<dyn WriteCondition>));
    }
}
