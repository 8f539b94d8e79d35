//! What hosts print when they limit the rate of requests: that they do, and how long to wait. Over HTTP, the status says
//! so; over SSH, only words do, and each host has its own.

use std::time::Duration;

/// Words by which hosts report a limit, in lower case.
const LIMITS: &[&str] = &[
    "returned error: 429",
    "http 429",
    "429 too many",
    "too many requests",
    "requested too many times",
    "rate limit exceeded",
    "rate limit reached",
    "rate limited",
    "exceeded a rate limit",
    "exceeded a secondary rate limit",
    "exceeded the rate limit",
    "requests are throttled",
    "retry-after:",
];

/// Words before the time to wait, in lower case.
const STARTS: &[&str] = &[
    "retry-after:",
    "retry after",
    "try again in",
    "try again after",
    "retry in",
    "please wait",
    "resets in",
];

/// The line of git's output that reports a limit. Hints are advice for other cases.
pub(super) fn limit(said: &str) -> Option<&str> {
    said.lines().map(without_prefix).filter(|line| !line.starts_with("hint:")).find(|line| {
        let line = line.to_ascii_lowercase();
        let is_exceeded = line.contains("rate limit") && line.contains("exceeded");
        is_exceeded || LIMITS.iter().any(|words| line.contains(words))
    })
}

fn without_prefix(line: &str) -> &str {
    line.trim().trim_start_matches("remote:").trim()
}

/// How long the host asks to wait, according to git's output: `Retry-After: 30` or `Retry-After:` with a date,
/// `try again in 2 minutes`, `retry after 30s`. `now` is in seconds since 1970.
pub(super) fn wait(said: &str, now: i64) -> Option<Duration> {
    let lower = said.to_ascii_lowercase();
    STARTS
        .iter()
        .filter_map(|start| lower.rfind(*start).map(|at| &said[at + start.len()..]))
        .find_map(|rest| time(rest.lines().next()?.trim(), now))
}

/// The time that a line begins with.
fn time(line: &str, now: i64) -> Option<Duration> {
    let lower = line.to_ascii_lowercase();
    let lower = lower.strip_prefix("about ").unwrap_or(&lower);
    let is_date = lower.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['-', ':']);
    if is_date { date(line, now) } else { span(lower).or_else(|| date(line, now)) }
}

fn date(line: &str, now: i64) -> Option<Duration> {
    let until = crate::git::parse_date(line)?.seconds;
    Some(Duration::from_secs(u64::try_from(until - now).unwrap_or(0)))
}

/// The time at the start of a line, such as `2 minutes`, `1h 30m`, `a minute` or `30` (seconds).
fn span(line: &str) -> Option<Duration> {
    let (mut seconds, mut rest) = amount(line)?;
    while let Some((more, after)) = amount(rest) {
        seconds += more;
        rest = after;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// A number and its unit in seconds, and what follows.
fn amount(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let one = text.strip_prefix("a ").or_else(|| text.strip_prefix("an "));
    let (number, rest) = match one {
        Some(rest) => (1.0, rest),
        None => {
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            (text[..end].parse().ok()?, text[end..].trim_start())
        }
    };
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let unit = match &rest[..end] {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        // `Retry-After: 30`.
        _ if one.is_none() => 1.0,
        _ => return None,
    };
    Some((number * unit, &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::words::{Trouble, from_stderr, trouble};

    #[test]
    fn a_host_that_is_asked_too_often_says_so_in_many_ways() {
        for stderr in [
            "fatal: unable to access 'https://example.org/x/': The requested URL returned error: 429",
            "error: RPC failed; HTTP 429 curl 22 The requested URL returned error: 429",
            "remote: Too Many Requests",
            "pre-receive hook declined; You have exceeded a secondary rate limit. Please wait a few minutes",
            "remote: ========\nremote: ERROR: This endpoint has been requested too many times. Try again later.\n",
            " !  Too many requests for this Git repo. Please try again later.\n",
            "Rate limit for this resource has been exceeded",
            "rate limit reached. Please retry in 3 seconds",
        ] {
            assert!(limit(stderr).is_some(), "{stderr}");
        }
        for stderr in [
            "The requested URL returned error: 404",
            "hint: too many requests? wf.pushInterval saves some",
            "remote: hint: too many requests",
        ] {
            assert_eq!(limit(stderr), None, "{stderr}");
        }
        assert_eq!(trouble("Too Many Requests"), Trouble::Limited);
        let framed = "remote: =====\nremote: ERROR: requested too many times\nremote: =====\n";
        assert_eq!(from_stderr(framed.as_bytes()), "ERROR: requested too many times");
    }

    #[test]
    fn how_long_a_host_asks_to_wait() {
        let now = 1_795_534_108;
        for (said, seconds) in [
            ("<= Recv header: Retry-After: 30", Some(30)),
            ("remote: Too many requests, try again in 2 minutes", Some(120)),
            ("retry after 5s.", Some(5)),
            ("retry-after: 1\nx\nRetry-After: 7\n", Some(7)),
            ("Retry-After: Tue, 24 Nov 2026 15:29:28 GMT", Some(60)),
            ("Retry-After: Tue, 24 Nov 2020 15:29:28 GMT", Some(0)),
            ("Retry-After: 2026-11-24T15:29:28Z", Some(60)),
            ("Retry-After: soon", None),
            ("try again in 500 milliseconds", Some(0)),
            ("try again in 1.5 minutes", Some(90)),
            ("try again in 1h30m, or later", Some(5400)),
            ("Try again in about a minute.", Some(60)),
            ("retry in 3 seconds, please", Some(3)),
            ("please wait 1 day", Some(86_400)),
            ("try again in 2 minute(s)", Some(120)),
            ("Retry after 30, please", Some(30)),
            ("Try again after 15:04:05 UTC", None),
            ("Please try again in a few minutes (resets in 120 seconds)", Some(120)),
            ("Please wait a few minutes", None),
            ("The requested URL returned error: 429", None),
        ] {
            assert_eq!(wait(said, now).map(|it| it.as_secs()), seconds, "{said}");
        }
    }
}
