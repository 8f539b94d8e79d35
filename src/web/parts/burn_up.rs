//! A burn-up chart: how many issues existed, and how many were done, over time.

use std::fmt::Write;

use crate::model::Time;

const WIDE: i64 = 260;
const HIGH: i64 = 90;
const MARGIN: i64 = 6;
/// The height of the first and the last day, below the chart.
const DATES: i64 = 14;

/// When issues were created and done, in milliseconds.
#[derive(Debug, Default)]
pub(in crate::web) struct BurnUp {
    created: Vec<i64>,
    done: Vec<i64>,
}

impl BurnUp {
    /// The chart of issues, each with when it was created, and when it was done if it was.
    pub(in crate::web) fn new(issues: &[(Time, Option<Time>)]) -> Self {
        let mut chart = Self::default();
        for (created, done) in issues {
            chart.created.push(created.millis());
            chart.done.extend(done.map(|at| at.millis().max(created.millis())));
        }
        chart.created.sort_unstable();
        chart.done.sort_unstable();
        chart
    }

    pub(in crate::web) fn done(&self) -> usize {
        self.done.len()
    }

    pub(in crate::web) fn total(&self) -> usize {
        self.created.len()
    }
}

/// Where times and counts are on the chart.
struct Axes {
    from: i64,
    /// After `from`.
    until: i64,
    /// The highest count, at least 1.
    most: i64,
}

impl Axes {
    fn x(&self, at: i64) -> i64 {
        let part =
            i128::from(at - self.from) * i128::from(WIDE - 2 * MARGIN) / i128::from(self.until - self.from);
        MARGIN + part as i64
    }

    fn y(&self, count: usize) -> i64 {
        HIGH - MARGIN - count as i64 * (HIGH - 2 * MARGIN) / self.most
    }

    /// A path that rises by one at each of these times.
    fn steps(&self, times: &[i64]) -> String {
        let mut path = format!("M{},{}", self.x(self.from), self.y(0));
        for (n, at) in times.iter().enumerate() {
            // Only the last step at each point shows.
            if times.get(n + 1).is_none_or(|next| self.x(*next) != self.x(*at)) {
                let _ = write!(path, " H{} V{}", self.x(*at), self.y(n + 1));
            }
        }
        let _ = write!(path, " H{}", self.x(self.until));
        path
    }
}

/// The day of a time in milliseconds.
fn day(at: i64) -> String {
    let day = Time::from_millis(at).and_then(|at| at.to_string().get(..10).map(str::to_owned));
    day.unwrap_or_default()
}

/// Draws the chart as SVG, up to the last change.
pub(in crate::web) fn burn_up(chart: &BurnUp, now: Time) -> String {
    let from = chart.created.iter().min().copied().unwrap_or(now.millis());
    let last = chart.created.iter().chain(&chart.done).max().copied().unwrap_or(from);
    // Not up to now, so that an export does not depend on when it is made.
    let until = last.max(from + 1);
    let axes = Axes { from, until, most: chart.total().max(1) as i64 };
    let whole = HIGH + DATES;
    let (scope, done) = (axes.steps(&chart.created), axes.steps(&chart.done));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" aria-label=\"{} of {} done\" width=\"{WIDE}\" height=\"{whole}\" viewBox=\"0 0 {WIDE} {whole}\">\
         <text class=\"tick\" x=\"{MARGIN}\" y=\"{}\">{}</text><text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
         <path class=\"area\" d=\"{done} V{} H{} Z\"/><path class=\"scope\" d=\"{scope}\"/><path class=\"done\" d=\"{done}\"/></svg>\n",
        chart.done(),
        chart.total(),
        whole - 3,
        day(from),
        WIDE - MARGIN,
        whole - 3,
        if day(until) == day(from) { String::new() } else { day(until) },
        axes.y(0),
        axes.x(from),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_of_many_issues_is_as_small_as_one_of_few() {
        let time = |millis| Time::from_millis(millis).unwrap();
        let issues: Vec<_> =
            (0..100_000).map(|n| (time(n * 1_000), (n % 2 == 0).then(|| time(n * 1_500)))).collect();
        let chart = BurnUp::new(&issues);
        let drawn = burn_up(&chart, time(0));
        assert_eq!((chart.done(), chart.total()), (50_000, 100_000));
        assert!(drawn.len() < 20_000, "{}", drawn.len());
        let top = format!("V{MARGIN} H{}\"", WIDE - MARGIN);
        assert!(drawn.contains(&top), "all issues are counted: {drawn}");
    }
}
