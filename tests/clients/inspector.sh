#!/bin/sh
# What the command line of the inspector prints of a server in a new repository.
# usage: inspector.sh GIT-WF MCP-INSPECTOR
set -eu
binary=$(realpath "$1")
inspector=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git init -q
git config user.name Ada
git config user.email ada@example.org
git -c commit.gpgSign=false commit -q --allow-empty -m Begin
"$binary" init >/dev/null

ask() {
    echo "== $*"
    "$inspector" --cli "$binary" mcp --method "$@"
}

ask tools/list | grep -E '^==|^ {6}"name"'
ask tools/call --tool-name issue_write --tool-arg action=create --tool-arg 'fields={"title": "Sessions end too early"}'
ask tools/call --tool-name find --tool-arg query=sessions
ask tools/call --tool-name show --tool-arg id=nothing
ask resources/list
ask resources/templates/list
ask resources/read --uri wf://execution/current
ask prompts/list
