//! The tokens of a session. Some agents tell with the end of each turn what it used; others tell only how large the context of
//! the session is.

use serde_json::Value;

/// The tokens that a session used, as far as its agent shows.
#[derive(Debug, Default)]
pub(crate) struct TokenCount {
    /// Tokens used before this conversation.
    before: u64,
    /// Tokens of the turns that have ended in this conversation; `None` if no turn reported any.
    told: Option<u64>,
    /// The largest size of its context: agents compact it when it is full, but have read all of it.
    context: Option<u64>,
}

impl TokenCount {
    /// The conversation continues a session that has used this many.
    pub(crate) fn begin_after(&mut self, before: u64) {
        self.before = before;
    }

    /// The context has this size.
    pub(crate) fn has_context(&mut self, size: u64) {
        self.context = self.context.max(Some(size));
    }

    /// A turn has ended with this answer to its prompt.
    pub(crate) fn end_turn(&mut self, answer: &Value) {
        if let Some(used) = told(answer) {
            self.told = Some(self.told.unwrap_or_default().saturating_add(used));
        }
    }

    /// All of them; `None` if the agent told none.
    pub(crate) fn total(&self) -> Option<u64> {
        self.told.map(|told| self.before.saturating_add(told)).or(self.context)
    }
}

/// What an agent tells of the tokens of a turn as it ends: as the protocol has it, or in the way of Gemini.
fn told(answer: &Value) -> Option<u64> {
    let usage = &answer["usage"];
    let quota = &answer["_meta"]["quota"]["token_count"];
    let of_kinds = ["inputTokens", "outputTokens", "thoughtTokens", "cachedReadTokens", "cachedWriteTokens"];
    usage["totalTokens"]
        .as_u64()
        .or_else(|| sum(usage, &of_kinds))
        .or_else(|| sum(quota, &["input_tokens", "output_tokens"]))
}

/// The sum of the members that there are.
fn sum(of: &Value, members: &[&str]) -> Option<u64> {
    members.iter().filter_map(|member| of[*member].as_u64()).reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_tokens_of_all_turns_are_added_in_whatever_way_they_are_told() {
        let told = json!({"stopReason": "end_turn", "usage": {"totalTokens": 100, "inputTokens": 90, "outputTokens": 10}});
        let in_kinds = json!({"usage": {"inputTokens": 20, "outputTokens": 3, "cachedReadTokens": 7}});
        let in_meta = json!({"_meta": {"quota": {"token_count": {"input_tokens": 5, "output_tokens": 6}}}});
        let silent = json!({"stopReason": "end_turn"});
        for (turns, total) in [
            (vec![(vec![], &silent)], None),
            // What was compacted was read before.
            (vec![(vec![7, 9, 8], &silent), (vec![4], &silent)], Some(9)),
            (vec![(vec![50], &told), (vec![60], &told)], Some(200)),
            (vec![(vec![50], &in_kinds), (vec![60], &in_meta), (vec![70], &silent)], Some(41)),
        ] {
            let mut count = TokenCount::default();
            for (contexts, answer) in &turns {
                contexts.iter().for_each(|size| count.has_context(*size));
                count.end_turn(answer);
            }
            assert_eq!(count.total(), total, "{turns:?}");
        }
    }

    #[test]
    fn a_session_that_goes_on_has_used_more_than_its_last_turns() {
        let mut count = TokenCount::default();
        count.begin_after(100);
        count.has_context(120);
        assert_eq!(count.total(), Some(120));
        count.end_turn(&json!({"usage": {"totalTokens": 8}}));
        assert_eq!(count.total(), Some(108));
    }
}
