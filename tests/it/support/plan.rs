//! A plan that passes every check, which tests can modify.

use serde_json::{Value, json};

/// A plan as a planner submits it, without `id` and `issue_id`: two tasks, T2 after T1, complete.
pub(crate) fn plan() -> Value {
    json!({
        "description": "Limit each API key to 100 requests a minute with a token bucket in front of the router",
        "strategy_type": "feature",
        "tasks": [bucket(), middleware()],
        "exploration_context": {
            "relevant_files": ["src/router.rs", "src/middleware/mod.rs", "tests/api.rs"],
            "patterns": "Middleware is a function from a request and the next handler to a response",
            "integration_points": "Runs after the API key was checked and before the router"
        },
        "analysis": {"risk": "low", "impact": "medium", "complexity": "medium"},
        "score": 0.9
    })
}

fn bucket() -> Value {
    json!({
        "id": "T1",
        "title": "Add a token bucket",
        "action": "Create",
        "scope": "src/limit/bucket.rs",
        "description": "A bucket that holds 100 tokens and regains them evenly over 60 seconds; the time comes in \
                        as an argument",
        "modification_points": [
            {"file": "src/limit/bucket.rs", "target": "Bucket", "change": "New type with `take(now) -> Result<(), Wait>`"},
            {"file": "src/limit/mod.rs", "target": "module list", "change": "Declare `bucket`"}
        ],
        "implementation": [
            "Define `Bucket { tokens, refilled_at }` with capacity and rate as constants",
            "In `take`, first add the tokens regained since `refilled_at`, then remove one",
            "Answer with the seconds until the next token where the bucket is empty"
        ],
        "test": {
            "commands": ["sh tests/bucket.sh"],
            "unit": ["The 101st request within one second is refused", "One token is back after 600 ms"],
            "integration": []
        },
        "acceptance": {
            "criteria": [
                "100 calls of `take` at one instant return Ok and the 101st returns Err(Wait) of 1 second",
                "After 600 ms exactly 1 further call returns Ok"
            ],
            "verification": ["Run: sh tests/bucket.sh, and see 2 tests pass"]
        },
        "depends_on": [],
        "estimated_minutes": 30,
        "priority": 1
    })
}

fn middleware() -> Value {
    json!({
        "id": "T2",
        "title": "Refuse requests beyond the limit",
        "action": "Modify",
        "scope": "src/middleware/mod.rs",
        "description": "Keep a bucket for each API key and answer 429 with a Retry-After header where it is empty",
        "modification_points": [
            {"file": "src/middleware/mod.rs", "target": "fn chain", "change": "Call `limit` after `authenticate`"}
        ],
        "implementation": [
            "Keep the buckets in a map from API key to `Bucket`, behind a mutex",
            "Call `take` before the next handler; on Err answer 429 with `Retry-After: <seconds>`"
        ],
        "test": {
            "commands": ["sh tests/limit.sh"],
            "unit": [],
            "integration": ["101 requests with one key end in a 429", "A second key is not affected"]
        },
        "acceptance": {
            "criteria": [
                "The 101st request of a key within a minute is answered 429 with a Retry-After of at least 1",
                "A request with another key at the same moment is answered 200"
            ],
            "verification": ["Run: sh tests/limit.sh, and see it exit with 0"]
        },
        "depends_on": ["T1"],
        "estimated_minutes": 45,
        "priority": 2
    })
}
