#!/bin/sh
# One whole pass with the command line of the inspector, in a new repository: issue, plan, claim, commit, verify, finish,
# trace. Each call is a server of its own.
# usage: inspector.sh GIT-WF MCP-INSPECTOR
set -eu
binary=$(realpath "$1")
inspector=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/code" "$folder/path" "$folder/home"
ln -s "$binary" "$folder/path/git-wf"
export PATH="$folder/path:$PATH" HOME="$folder/home"
cd "$folder/code"
git init -q
git config user.name Ada
git config user.email ada@example.org
git config commit.gpgSign false
echo "lifetime 3600" >session.txt
git add .
git commit -q -m Begin
"$binary" init --hooks >/dev/null

# The status is that of the inspector.
inspect() {
    status=0
    "$inspector" --cli "$binary" mcp --method "$@" >"$folder/said" || status=$?
    cat "$folder/said"
    return "$status"
}
ask() {
    echo "== $1 $2 $3"
    inspect "$@"
}
call() {
    tool=$1
    shift
    ask tools/call --tool-name "$tool" "$@"
}
# Fails unless the last answer has this text. Quotes are escaped within the text of an answer.
says() {
    grep -qF -- "$1" "$folder/said" || {
        echo "the answer lacks $1" >&2
        exit 1
    }
}

echo "== tools/list"
inspect tools/list >"$folder/tools"
grep -E '^ {6}"name"' "$folder/tools"
says '"plan_submit"'
call issue_write --tool-arg action=create --tool-arg 'fields={"title": "Sessions end too early"}'
issue=$(grep -oE 'ISS-[0-9a-z-]+' "$folder/said" | head -n 1)
[ -n "$issue" ] || {
    echo "the answer names no issue" >&2
    exit 1
}
call find --tool-arg query=sessions
says "$issue"
call plan_context --tool-arg "id=$issue"
says planner
cat >"$folder/plan.json" <<END
{"description": "Let a session last for twelve hours", "strategy_type": "feature", "tasks": [{
"id": "T1", "title": "Raise the lifetime", "action": "Modify", "scope": "session.txt",
"description": "Twelve hours instead of one",
"modification_points": [{"file": "session.txt", "target": "lifetime", "change": "3600 becomes 43200"}],
"implementation": ["Change the number", "Look for other places that assume one hour"],
"test": {"commands": ["grep -q 43200 session.txt"], "unit": ["The file has the new number"], "integration": []},
"acceptance": {"criteria": ["session.txt names 43200 seconds", "No other file names 3600"],
"verification": ["Run: grep 43200 session.txt, and see the line"]},
"depends_on": [], "estimated_minutes": 10, "priority": 1}],
"analysis": {"risk": "low", "impact": "low", "complexity": "low"},
"exploration_context": {"relevant_files": ["session.txt"], "patterns": "One setting a line", "integration_points": "None"},
"score": 0.9}
END
call plan_submit --tool-arg "issue=$issue" --tool-arg "plan=$(tr '\n' ' ' <"$folder/plan.json")" --tool-arg queue=true
says '"queued": {'
call claim --tool-arg "issue=$issue" --tool-arg task=T1
says '"started"'
echo "lifetime 43200" >session.txt
git commit -q -a -m "Let sessions last"
# It is refused until a person has read the commands on a terminal, and agreed.
call verify || true
says not-agreed
printf 'y\n' | script -qec "'$binary' verify" /dev/null >/dev/null
call verify
says '"passed": true'
call finish --tool-arg outcome=completed --tool-arg "summary=Raised it" --tool-arg verify=true \
    --tool-arg 'accepted=[{"task": "T1", "criterion": 2, "evidence": "grep finds none"}]'
says '"status": "completed"'
call trace --tool-arg "of=$(git rev-parse HEAD)"
says "$issue"
call trace --tool-arg of=session.txt:1
says "$issue"
call show --tool-arg id=nothing || true
says not-found
echo "== resources and prompts"
for method in resources/list resources/templates/list prompts/list; do
    "$inspector" --cli "$binary" mcp --method "$method"
done
inspect resources/read --uri "wf://issue/$issue"
says completed
echo "all is well"
