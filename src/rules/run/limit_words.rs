//! The words in which agents and providers say that they are asked too often, and until when.

use super::clock_words::ClockTime;
use super::limits::LimitWait;
use crate::model::Time;

/// Words that no agent uses for anything else.
const SURE: &[&str] = &[
    "too many requests",
    "rate_limit_error",
    "rate_limit_exceeded",
    "ratelimiterror",
    "resource_exhausted",
    "usage limit reached",
    "hit your usage limit",
    "hit your limit",
    "hit your session limit",
    "hit your weekly limit",
    "-hour limit reached",
    "weekly limit reached",
    "exceeded your current quota",
    "exhausted your capacity",
    "exhausted your daily quota",
    "quota exceeded",
    "rate limit exceeded",
    "rate limit reached",
    "rate limited",
    "rate-limited",
    "overloaded_error",
];
/// The status of the answer to a request too many.
const TOO_MANY: &str = "429";
/// Words beside which that number is the status of an answer, and not a count or a line.
const STATUS: &[&str] = &["http", "status", "statuscode", "code", "error"];
/// What looks like a limit and does not pass.
const LASTING: &[&str] = &["insufficient_quota", "billing", "credit balance"];
/// Words after which a time stands. Longer ones first.
const BEFORE_TIME: &[&str] = &[
    "limit reached|",
    "retry-after-ms",
    "retry_after_ms",
    "retry-after",
    "retry_after",
    "retryafter",
    "retry after",
    "retrydelay",
    "retry in",
    "try again in",
    "try again at",
    "try again after",
    "resets at",
    "resets in",
    "reset at",
    "reset in",
    "reset after",
    "resets",
    "reset",
    "available in",
    "please wait",
    "until",
];
/// The seconds from which on a number is a time, not a length: 2001.
const EPOCH: f64 = 1e9;

/// How long to wait, if a text says that its agent is limited.
pub(crate) fn limit_in(text: &str) -> Option<LimitWait> {
    let text = text.to_lowercase();
    let is_limit = SURE.iter().any(|words| text.contains(words)) || text.lines().any(has_status);
    if !is_limit || LASTING.iter().any(|words| text.contains(words)) {
        return None;
    }
    for words in BEFORE_TIME {
        for (at, _) in text.match_indices(words) {
            if let Some(wait) = wait_at(words, &text[at + words.len()..]) {
                return Some(wait);
            }
        }
    }
    Some(LimitWait::Untold)
}

/// Whether a line says that the status of an answer is 429: `HTTP/1.1 429`, `"code": 429`, `429 error`. In `x.rs:429:9: error`
/// it is the number of a line.
fn has_status(line: &str) -> bool {
    line.match_indices(TOO_MANY).any(|(at, number)| {
        let (before, after) = (&line[..at], &line[at + number.len()..]);
        if before.ends_with(is_in_word) || after.trim_start_matches('.').starts_with(is_in_word) {
            return false;
        }
        let last = before.rsplit(|c: char| !is_in_word(c)).find(|word| !word.is_empty());
        let next = after.strip_prefix(' ').and_then(|rest| rest.split(|c: char| !is_in_word(c)).next());
        last.is_some_and(is_status_word) || (!before.ends_with(':') && next.is_some_and(is_status_word))
    })
}

/// Words are joined by what joins the parts of a path or of a decimal number.
fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '/')
}

fn is_status_word(word: &str) -> bool {
    STATUS.contains(&word) || word.starts_with("http/")
}

/// The time at the beginning of a text that follows some words.
fn wait_at(words: &str, text: &str) -> Option<LimitWait> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "\"':=".contains(c));
    let time = text.split(|c: char| c.is_whitespace() || "\"',;)".contains(c)).next().unwrap_or_default();
    if let Some(until) = Time::parse(&time.trim_end_matches('.').to_uppercase()) {
        return Some(LimitWait::Until(until));
    }
    if let Some(time) = ClockTime::read(text) {
        return Some(LimitWait::Clock(time));
    }
    let mut millis = 0.0;
    let mut rest = text;
    let mut is_any = false;
    while let Some((number, unit, after)) = amount(rest) {
        let factor = match unit {
            "ms" | "millisecond" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
            "m" | "min" | "mins" | "minute" | "minutes" => 60e3,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600e3,
            "d" | "day" | "days" => 24.0 * 3600e3,
            _ if is_any => break,
            "" if words.ends_with("ms") => 1.0,
            "" if number >= EPOCH * 1e3 => return until(number / 1e3),
            "" if number >= EPOCH => return until(number),
            "" if words.contains("at") || words.starts_with("reset") || words == "until" => return None,
            "" => 1e3,
            _ => return None,
        };
        (millis, is_any) = (millis + number * factor, true);
        rest = after.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    // A length beyond what is counted is bounded by whoever waits.
    is_any.then_some(LimitWait::For(millis.min(1e15) as i64))
}

fn until(seconds: f64) -> Option<LimitWait> {
    Time::from_seconds(seconds.min(1e11) as i64).map(LimitWait::Until)
}

/// A number, its unit, and what follows.
fn amount(text: &str) -> Option<(f64, &str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].trim_end_matches('.').parse().ok()?;
    let after = text[end..].strip_prefix(' ').unwrap_or(&text[end..]);
    let unit = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
    Some((number, &after[..unit], &after[unit..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_say_it_in_their_own_words() {
        let clock = |text| LimitWait::Clock(ClockTime::read(text).unwrap());
        let at = |seconds| LimitWait::Until(Time::from_seconds(seconds).unwrap());
        for (text, wait) in [
            ("Claude AI usage limit reached|1762873200", at(1_762_873_200)),
            ("You've hit your limit · resets 3pm (Europe/Berlin)", clock("3pm (europe/berlin)")),
            ("Rate limit reached. Please try again at 15:00 UTC.", clock("15:00 utc")),
            ("You've hit your weekly limit · resets Oct 9 at 5:30pm", clock("oct 9 at 5:30pm")),
            ("429 error, resets 3", LimitWait::Untold),
            (
                "API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}",
                LimitWait::Untold,
            ),
            (
                "You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours and 5 minutes.",
                LimitWait::For((3 * 24 * 3600 + 4 * 3600 + 5 * 60) * 1000),
            ),
            ("exceeded retry limit, last status: 429 Too Many Requests", LimitWait::Untold),
            ("Rate limit reached for gpt-5. Please try again in 1.2s. Visit", LimitWait::For(1200)),
            ("You exceeded your current quota. Please retry in 38.5s.", LimitWait::For(38_500)),
            ("{\"status\": \"RESOURCE_EXHAUSTED\", \"retryDelay\": \"38s\"}", LimitWait::For(38_000)),
            ("HTTP 429\nretry-after: 7", LimitWait::For(7000)),
            ("{\"code\":429,\"retry_after_ms\":1500}", LimitWait::For(1500)),
            ("you are rate limited; please wait 59 minutes", LimitWait::For(59 * 60_000)),
            ("HTTP/1.1 429\nretry-after: 7", LimitWait::For(7000)),
            ("AxiosError: Request failed with status code 429", LimitWait::Untold),
            ("{\"statusCode\": 429}", LimitWait::Untold),
            ("error_code=429.", LimitWait::Untold),
            ("429 error, resets at 2026-11-29T22:00:00Z", at(1_795_989_600)),
            ("status 429; try again at 2026-11-29T22:00:00Z.", at(1_795_989_600)),
        ] {
            assert_eq!(limit_in(text), Some(wait), "{text}");
        }
    }

    #[test]
    fn other_failures_are_no_limits() {
        for text in [
            "",
            "error in line 1429",
            "added 429 lines",
            "src/parse.rs:429:9: error[E0308]: mismatched types",
            "src/status.py:429: error: Name \"x\" is not defined",
            "main.c:429 error",
            "./x.sh: line 429: error: no such file",
            "  429:9  error  Unexpected any",
            "src/a.ts(429,9): error TS2304",
            "src/generate.ts:429 failed to decode it, retry",
            "error 429.5",
            "error in src/code/429",
            "HTTP 500: internal error, retry after 5",
            "You exceeded your current quota, please check your plan and billing details",
            "the limit of the queue is 5",
        ] {
            assert_eq!(limit_in(text), None, "{text}");
        }
    }
}
