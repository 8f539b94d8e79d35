//! Tests of the board without a store or a terminal: what events lead to, and what is drawn.

mod acts;
mod counted;
mod lanes;
mod pictures;

use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::terminal::Terminal;

use super::act::Deed;
use super::event::{BoardEffect, BoardEvent};
use super::lane::tests::card;
use super::model::Model;
use super::read::ReadRequest;
use super::update::update;
use super::view;
use crate::index::{Carded, Filter};
use crate::model::status::IssueStatus::{self, Executing, Failed, Planned, Queued, Registered};
use crate::model::{PlanDigest, Priority};
use crate::ops::issues::{self, LanesView, List, MOST_CARDS};
use crate::ui::{Button, Input, Key};

/// The digest of an empty plan.
fn digest() -> PlanDigest {
    PlanDigest::of_plan(&serde_json::json!({}))
}

/// A board that answers its own requests for lanes from a list of issues.
struct Board {
    model: Model,
    issues: Vec<Carded>,
    /// All effects except requests for lanes.
    effects: Vec<BoardEffect>,
    /// The number of requests for lanes, and of issues in the answers.
    asked: (usize, usize),
}

/// Matches titles that contain every word; `bad:` is invalid.
fn parse(text: &str) -> Result<List, String> {
    if text.contains("bad:") {
        return Err("`bad:` needs a value".into());
    }
    let filter = Filter { search: Some(text.to_owned()), ..Filter::default() };
    Ok(List { filter, ..List::default() })
}

impl Board {
    fn new(size: (u16, u16), issues: Vec<Carded>) -> Self {
        let mut model = Model::new(parse, "", "Ada".into(), size);
        let effects = model.begin();
        let mut board = Self { model, issues, effects: vec![], asked: (0, 0) };
        board.take(effects);
        board
    }

    /// A board of eight issues in five lanes.
    fn of_a_team(size: (u16, u16)) -> Self {
        let mut issues = vec![
            card("ISS-001", Registered, "Sessions end too early"),
            card(
                "ISS-20261121-7k3m2pq9",
                Registered,
                "The search is slow for queries with many words, and slower in the evening",
            ),
            card("ISS-003", Registered, "価格を購入者の通貨で表示する 👩\u{200d}💻 é"),
            card("GH-12", Planned, "Limit the requests of an API key"),
            card("ISS-005", Queued, "Send receipts by mail"),
            card("ISS-006", Queued, "Rename the help page"),
            card("ISS-007", Executing, "Import from the old shop"),
            card("ISS-008", Failed, "Print invoices"),
        ];
        issues[0].row.priority = Priority::new(1).unwrap();
        issues[0].row.tags = "auth,api".into();
        issues[2].is_in_cycle = true;
        issues[4].is_ready = true;
        issues[6].row.assignee = Some("bea".into());
        Self::new(size, issues)
    }

    /// Answers requests for lanes, and keeps all other effects.
    fn take(&mut self, effects: Vec<BoardEffect>) {
        for effect in effects {
            match effect {
                BoardEffect::Read(ReadRequest::Lanes(number, input)) => {
                    let view = self.view(&input);
                    self.asked.0 += 1;
                    self.asked.1 += view.lanes.iter().map(|lane| lane.cards.len()).sum::<usize>();
                    let effects = update(&mut self.model, BoardEvent::Lanes(number, Ok(view)));
                    self.take(effects);
                }
                effect => self.effects.push(effect),
            }
        }
    }

    /// What `issues::lanes` would return.
    fn view(&self, input: &issues::Lanes) -> LanesView {
        let words = input.list.filter.search.clone().unwrap_or_default();
        let is_over = |it: &Carded| it.row.status.is_terminal() && !input.list.filter.all;
        let matches = |it: &&Carded| !is_over(it) && words.split(' ').all(|word| it.row.title.contains(word));
        let mut view = LanesView::default();
        for status in IssueStatus::ALL {
            let all: Vec<&Carded> =
                self.issues.iter().filter(|it| it.row.status == *status).filter(matches).collect();
            if all.is_empty() {
                continue;
            }
            let mut offset = input.from.iter().find(|it| it.0 == *status).map_or(0, |it| it.1);
            let is_followed = |it: &&Carded| Some(it.row.id.as_str()) == input.follow.as_deref();
            if let Some(place) = all.iter().position(is_followed) {
                view.followed = Some((*status, place));
                if !(offset..offset + MOST_CARDS).contains(&place) {
                    offset = place.saturating_sub(MOST_CARDS / 2);
                }
            }
            let cards = all.iter().skip(offset).take(MOST_CARDS).copied().cloned().collect();
            view.lanes.push(issues::Lane { status: *status, total: all.len(), offset, cards });
        }
        view
    }

    fn event(&mut self, event: BoardEvent) -> &mut Self {
        let effects = update(&mut self.model, event);
        self.take(effects);
        self
    }

    fn key(&mut self, key: Key) -> &mut Self {
        self.event(BoardEvent::Input(Input::Key(key)))
    }

    /// Presses a key for each character.
    fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.chars() {
            self.key(Key::Char(key));
        }
        self
    }

    fn mouse(&mut self, button: Button, x: u16, y: u16) -> &mut Self {
        self.event(BoardEvent::Input(Input::Mouse(button, x, y)))
    }

    /// The id of the selected issue; empty if there is none.
    fn selected(&self) -> String {
        self.model.selected().map(|it| it.0).unwrap_or_default()
    }

    /// Takes the last effect, which must be an action.
    #[track_caller]
    fn deed(&mut self) -> Deed {
        match self.effects.pop() {
            Some(BoardEffect::Act(deed)) => deed,
            other => panic!("{other:?}"),
        }
    }

    /// The screen as drawn.
    fn buffer(&self) -> Buffer {
        let (width, height) = self.model.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| {
                if let Some(cursor) = view::draw(&self.model, frame.buffer_mut()) {
                    frame.set_cursor_position(cursor);
                }
            })
            .unwrap();
        terminal.backend().buffer().clone()
    }

    /// The rows of the screen, without trailing blanks.
    fn rows(&self) -> Vec<String> {
        let buffer = self.buffer();
        let row = |y| {
            let mut row = String::new();
            let mut skipped = 0;
            for x in 0..buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                if skipped == 0 {
                    row.push_str(symbol);
                    skipped = crate::ui::text::width(symbol).max(1);
                }
                skipped -= 1;
            }
            row.trim_end().to_owned()
        };
        (0..buffer.area.height).map(row).collect()
    }

    fn picture(&self) -> String {
        self.rows().join("\n") + "\n"
    }

    #[track_caller]
    fn shows(&self, words: &str) {
        let picture = self.picture();
        assert!(picture.contains(words), "`{words}` is not in\n{picture}");
    }
}
