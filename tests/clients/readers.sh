#!/bin/sh
# Has coding agents list the MCP servers that `git wf agents setup` wrote for them, in a HOME of their own.
# usage: readers.sh GIT-WF BIN
set -eu
binary=$(realpath "$1")
bin=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/path" "$work/code"
ln -s "$binary" "$work/path/git-wf"
export HOME="$work/home" PATH="$work/path:$bin:$PATH"
export GIT_CONFIG_GLOBAL=/dev/null
cd "$work/code"
git init -q .
git config user.name Ada
git config user.email ada@example.org
git wf init >/dev/null
git wf agents setup claude codex gemini opencode copilot >/dev/null
git wf agents setup --check

# What each of them asks for before it uses the files.
mkdir "$HOME/.codex" "$HOME/.gemini"
printf '[projects."%s"]\ntrust_level = "trusted"\n' "$PWD" >"$HOME/.codex/config.toml"
printf '{"%s": "TRUST_FOLDER"}\n' "$PWD" >"$HOME/.gemini/trustedFolders.json"
export COPILOT_OFFLINE=true COPILOT_ALLOW_ALL=true

failed=0
reads() {
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "$name: not installed"
    elif "$@" 2>&1 </dev/null | tee "$work/said" | grep -q git-wf; then
        echo "$name: $(grep git-wf "$work/said" | head -n 1)"
    else
        echo "$name does not list git-wf:"
        cat "$work/said"
        failed=1
    fi
}
reads claude claude mcp list
reads codex codex mcp list
reads gemini gemini mcp list
reads opencode opencode mcp list
reads copilot copilot mcp list
exit "$failed"
