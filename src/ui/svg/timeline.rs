//! A timeline: rows with a bar for each period of time.

use std::fmt::Write;

use super::escaped;
use crate::ui::{time, truncate};

const LABEL: i64 = 190;
const WIDE: i64 = 760;
const ROW: i64 = 26;
const TOP: i64 = 24;
/// A minute, in milliseconds.
const MINUTE: i64 = 60_000;
/// Maximum columns of a row's label.
const FITS: usize = 28;

/// The period that the timeline covers, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// The start.
    pub(crate) from: i64,
    /// The end.
    pub(crate) until: i64,
    /// A time to mark, such as now.
    pub(crate) mark: Option<i64>,
    /// Whether ticks show the date and time in UTC; otherwise they show the time since the start.
    pub(crate) is_absolute: bool,
}

/// A row.
#[derive(Debug, Clone)]
pub(crate) struct TimelineRow {
    /// The text to the left of the bars.
    pub(crate) label: String,
    /// The address to link to, if there is one.
    pub(crate) href: Option<String>,
    pub(crate) bars: Vec<Bar>,
}

/// A period of time.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// The start, in milliseconds since 1970.
    pub(crate) from: i64,
    /// The end.
    pub(crate) until: i64,
    /// The CSS class.
    pub(crate) class: &'static str,
    /// The tooltip.
    pub(crate) title: String,
}

impl Scale {
    fn length(self) -> i64 {
        self.until.saturating_sub(self.from).max(1)
    }

    /// The x coordinate of a time, clamped to the period.
    fn at(self, millis: i64) -> i64 {
        let since = millis.saturating_sub(self.from).clamp(0, self.length());
        LABEL + (i128::from(since) * i128::from(WIDE) / i128::from(self.length())) as i64
    }

    /// The times to mark with a line, and their labels. Each differs from the one before.
    fn ticks(self) -> Vec<(i64, String)> {
        let part = self.length() / 4;
        let all = (0..=4).map(move |n| {
            let since = part * n;
            let at = self.from + since;
            let label = if !self.is_absolute {
                time::length(u64::try_from(since).unwrap_or(0))
            } else if part < MINUTE {
                time::exact_moment(at)
            } else {
                time::moment(at)
            };
            (at, label)
        });
        let mut ticks: Vec<(i64, String)> = all.collect();
        ticks.dedup_by(|next, before| next.1 == before.1);
        ticks
    }
}

/// Draws the timeline; `name` describes it to screen readers.
pub(crate) fn timeline(name: &str, scale: Scale, rows: &[TimelineRow]) -> String {
    let (wide, high) = (LABEL + WIDE + 40, TOP + rows.len() as i64 * ROW + 8);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" role=\"group\" aria-label=\"{}\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\">",
        escaped(name)
    );
    for (at, label) in scale.ticks() {
        let x = scale.at(at);
        let _ = writeln!(
            out,
            "<line class=\"tick\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{high}\"/><text class=\"tick\" x=\"{x}\" y=\"14\" text-anchor=\"middle\">{label}</text>"
        );
    }
    for (n, row) in rows.iter().enumerate() {
        let y = TOP + n as i64 * ROW;
        let label = escaped(&truncate(&row.label, FITS));
        let text = format!("<text x=\"0\" y=\"{}\">{label}</text>", y + 17);
        let _ = match &row.href {
            Some(href) => writeln!(out, "<a href=\"{}\">{text}</a>", escaped(href)),
            None => writeln!(out, "{text}"),
        };
        for bar in &row.bars {
            let (from, until) = (scale.at(bar.from), scale.at(bar.until));
            let _ = writeln!(
                out,
                "<rect class=\"s-{}\" x=\"{from}\" y=\"{}\" width=\"{}\" height=\"18\" rx=\"2\"><title>{}</title></rect>",
                bar.class,
                y + 4,
                (until - from).max(3),
                escaped(&bar.title)
            );
        }
    }
    if let Some(mark) = scale.mark {
        let x = scale.at(mark);
        let _ = writeln!(out, "<line class=\"mark\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{high}\"/>");
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tick_repeats_the_one_before() {
        let labels = |length: i64| {
            let scale = Scale { from: 0, until: length, mark: None, is_absolute: true };
            scale.ticks().into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(
            labels(60_000),
            ["01-01 00:00:00", "01-01 00:00:15", "01-01 00:00:30", "01-01 00:00:45", "01-01 00:01:00"]
        );
        assert_eq!(labels(1_000), ["01-01 00:00:00", "01-01 00:00:01"]);
        assert_eq!(labels(240_000)[..2], ["01-01 00:00", "01-01 00:01"]);
    }

    #[test]
    fn a_bar_stays_within_the_picture_whatever_its_times() {
        let scale = Scale { from: 1_000, until: 2_000, mark: Some(1_500), is_absolute: false };
        let bar = |from, until| Bar { from, until, class: "executing", title: "x".into() };
        let bars = vec![bar(i64::MIN, i64::MAX), bar(1_500, 1_500), bar(1_900, 1_100)];
        let drawn = timeline("work", scale, &[TimelineRow { label: "<b>".into(), href: None, bars }]);
        assert!(drawn.contains("x=\"190\" y=\"28\" width=\"760\""), "{drawn}");
        assert!(drawn.contains("x=\"570\" y=\"28\" width=\"3\""), "{drawn}");
        assert!(!drawn.contains("<b>") && !drawn.contains("width=\"-"), "{drawn}");
    }
}
