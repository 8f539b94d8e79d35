#!/bin/sh
# Wraps a command that takes a prompt on stdin and writes its answer to stdout:
#
#     git config wf.agent.mine.command "examples/agents/adapter.sh my-model --quiet"
#
# The request is the prompt: it says in words what to do, and has the schema of the answer. A ping is answered here, so
# that `git wf agents test mine` costs nothing.
set -eu
[ $# -gt 0 ] || { echo "usage: adapter.sh COMMAND [ARGUMENT]..." >&2; exit 2; }
request=$(cat)
if printf '%s\n' "$request" | grep -q '^  "kind": "ping",$'; then
    printf '%s\n' "$request" | sed -n 's/^    "nonce": "\([a-z0-9]*\)"$/{"pong": "\1"}/p'
    exit 0
fi
printf '%s\n' "$request" | "$@"
