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
    "529 overloaded",
    "request rejected (429)",
    "out of extra usage",
    "resource has been exhausted",
];
/// How the sentence begins with which a program ends that is limited. An agent may use the words above in its own sentences.
const SENTENCES: &[&str] = &[
    "api error: 429",
    "api error: repeated 529",
    "api error: request rejected (429)",
    "claude ai usage limit reached",
    "claude usage limit reached",
    "5-hour limit reached",
    "litellm.ratelimiterror",
    "rate limit reached for ",
    "request rejected (429)",
    "usage limit reached",
    "weekly limit reached",
    "you exceeded your current quota",
    "you have exhausted your",
    "you've hit your",
    "you're out of extra usage",
    "you’ve hit your",
    "you’re out of extra usage",
];
/// The status of the answer to a request too many.
const TOO_MANY: &str = "429";
/// Words beside which that number is the status of an answer, and not a count or a line.
const STATUS: &[&str] = &["http", "status", "statuscode", "code", "error"];
/// What looks like a limit and does not pass, unless it says when.
const LASTING: &[&str] = &["insufficient_quota", "billing", "credit balance"];
/// What Google says of limits of either kind.
const PASSING: &str = "resource_exhausted";
/// A limit is looked for in the last bytes of a log, and its time close to it: what an agent logged long before its end did not end
/// it.
const LAST: usize = 8 * 1024;
const CLOSE_BEFORE: usize = 1024;
const CLOSE_AFTER: usize = 4 * 1024;
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

/// How long to wait, if the end of a text says that its agent is limited.
pub(crate) fn limit_in(text: &str) -> Option<LimitWait> {
    let text = text.to_lowercase();
    let last = boundary(&text, text.len().saturating_sub(LAST));
    let at = last + last_limit(&text[last..])?;
    let close = &text[boundary(&text, at.saturating_sub(CLOSE_BEFORE))..boundary(&text, at + CLOSE_AFTER)];
    let told = BEFORE_TIME.iter().find_map(|words| {
        close.rmatch_indices(*words).find_map(|(at, _)| wait_at(words, &close[at + words.len()..]))
    });
    if told.is_none() && !close.contains(PASSING) && LASTING.iter().any(|words| close.contains(words)) {
        return None;
    }
    Some(told.unwrap_or(LimitWait::Untold))
}

/// How long to wait, if the last line of an answer is the sentence with which a program says that it is limited.
pub(crate) fn limit_at_end_of(answer: &str) -> Option<LimitWait> {
    let line = answer.trim_end().lines().next_back()?.trim();
    let lower = line.to_lowercase();
    if SENTENCES.iter().any(|words| lower.starts_with(words)) { limit_in(line) } else { None }
}

/// The last place up to this one at which a character begins, or the end.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Where a text, in lower case, says last that its agent is limited.
fn last_limit(text: &str) -> Option<usize> {
    let words = SURE.iter().filter_map(|words| text.rfind(*words)).max();
    let mut status = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if has_status(line) {
            status = Some(at);
        }
        at += line.len();
    }
    words.max(status)
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
            (
                "You've hit your usage limit. Visit https://x to purchase more credits or try again at Dec 3rd, 2026 5:30 PM.",
                clock("dec 3rd, 2026 5:30 pm."),
            ),
            ("API Error: Request rejected (429)", LimitWait::Untold),
            ("API Error: Repeated 529 Overloaded errors", LimitWait::Untold),
            ("You're out of extra usage · resets 4pm", clock("4pm")),
            ("code 429: Resource has been exhausted (e.g. check quota).", LimitWait::Untold),
            (
                "[429 Too Many Requests] You exceeded your current quota, please check your plan and billing details. \
                    Please retry in 41.8s.",
                LimitWait::For(41_800),
            ),
            (
                "{\"code\": 429, \"message\": \"check your plan and billing details\", \"status\": \"RESOURCE_EXHAUSTED\"}",
                LimitWait::Untold,
            ),
            // The last one counts.
            ("HTTP 429, retry after 5\nHTTP 429, retry after 9", LimitWait::For(9000)),
        ] {
            assert_eq!(limit_in(text), Some(wait), "{text}");
        }
    }

    #[test]
    fn a_limit_counts_at_the_end_of_a_log_with_the_time_beside_it() {
        let details =
            format!("{{\"code\": 429, \"details\": [{}", "{\"@type\": \"QuotaFailure\"}, ".repeat(60));
        let log = format!("{details}{{\"retryDelay\": \"41s\"}}]}}");
        assert!(log.len() > 1600);
        assert_eq!(limit_in(&log), Some(LimitWait::For(41_000)));
        let narrative = "ok. Nothing happens until 5pm.\n".repeat(400);
        assert_eq!(limit_in(&format!("{narrative}HTTP 429\n")), Some(LimitWait::Untold));
        assert_eq!(limit_in(&format!("HTTP 429\n{narrative}")), None);
    }

    #[test]
    fn an_answer_ends_with_a_limit_only_in_the_words_of_a_program() {
        for text in [
            "Claude AI usage limit reached|1762873200",
            "I am reading the code.\n\nYou've hit your limit · resets 3pm (Europe/Berlin)\n",
            "API Error: Repeated 529 Overloaded errors",
        ] {
            assert!(limit_at_end_of(text).is_some(), "{text}");
        }
        for text in [
            "",
            "Plan: keep a client rate limited until its window resets in 3 days.",
            "The clients are now rate limited and get HTTP 429. I could not run the tests.",
            "Claude AI usage limit reached|1762873200\nThat is what the test prints.",
            "You've hit your head",
        ] {
            assert_eq!(limit_at_end_of(text), None, "{text}");
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
