//! The command-line settings for all output. They are set once, before anything is printed.

use std::sync::OnceLock;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` or `color.ui` of git's configuration says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How times are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DateForm {
    /// The form.
    pub(crate) shape: DateShape,
    /// Whether in the time zone of this machine; otherwise in UTC.
    pub(crate) is_local: bool,
}

/// Where the form of times comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DateChoice {
    /// Relative times.
    #[default]
    Relative,
    /// `--date`.
    Given(DateForm),
    /// `log.date` of git's configuration, else relative times for people and ISO for programs.
    Usual,
}

/// The forms of git's `--date`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DateShape {
    /// 2 hours ago.
    #[default]
    Relative,
    /// Sat Nov 21 02:14:05 2026.
    Default,
    /// 2026-11-21 02:14:05 +0000.
    Iso,
    /// 2026-11-21T02:14:05Z.
    IsoStrict,
    /// Sat, 21 Nov 2026 02:14:05 +0000.
    Rfc,
    /// As short as possible, and always local: "2 hours ago" today, Fri 14:05 within four days of this month, Mon Nov 2
    /// 14:05 this year, Oct 17 2025 before.
    Human,
    /// 2026-11-21.
    Short,
    /// 1795227245 +0000.
    Raw,
    /// Seconds since 1970.
    Unix,
    /// A pattern of `strftime`.
    Pattern(&'static str),
}

/// Settings of one run of the program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UiSettings {
    /// When to use colour.
    pub(crate) color: Color,
    /// How times are shown.
    pub(crate) date: DateChoice,
    /// No alignment, no drawing, no pager, no progress: for screen readers.
    pub(crate) is_plain: bool,
    /// Neither notes nor warnings nor progress.
    pub(crate) is_quiet: bool,
}

static SETTINGS: OnceLock<UiSettings> = OnceLock::new();

impl UiSettings {
    /// The settings of this run.
    pub(crate) fn get() -> Self {
        SETTINGS.get().copied().unwrap_or_default()
    }

    /// Sets them; only the first call counts.
    pub(crate) fn set(self) {
        // A second call comes with the same command line.
        let _ = SETTINGS.set(self);
    }
}
