#!/bin/bash
# opencode 1.18.33 (npm).
# Found: opencode writes to the opencode.json of a project whenever it reads one that has no "$schema". Commands that only show something
# (`session list`, `models`, `mcp list`) add the line, so that looking at a list modifies a tracked file, in every clone anew.
# The line always ends with a comma. An empty object becomes `{ "$schema": "...",}`, which opencode itself goes on reading, but no parser of
# plain JSON does.
# shellcheck disable=SC2016
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" opencode-ai@1.18.33 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
export PATH=$d/node_modules/.bin:$PATH HOME=$d GIT_CONFIG_NOSYSTEM=1; echo "opencode $(opencode --version)"
git config --global user.name A; git config --global user.email a@example.org
try() { # TEXT EXPECTED
	rm -rf "$d/r"; git init -q "$d/r"; cd "$d/r" || exit 2; echo "$1" > opencode.json; git add .; git commit -qm one
	opencode session list >/dev/null 2>&1 </dev/null; first=$?; opencode session list >/dev/null 2>&1 </dev/null; second=$?
	python3 -m json.tool opencode.json >/dev/null 2>&1; json=$?
	got="exits $first and $second, status '$(git status --short)', JSON parser exits $json"; echo "$1: $got; now: $(tr -s '\n' ' ' < opencode.json)"
	[ "$got" = "$2" ] || { echo "CHANGED: expected '$2'"; fail=1; }; }
try '{"$schema": "https://opencode.ai/config.json"}' "exits 0 and 0, status '', JSON parser exits 0"
try '{"mcp": {}}' "exits 0 and 0, status ' M opencode.json', JSON parser exits 0"
try '{}' "exits 0 and 0, status ' M opencode.json', JSON parser exits 1"
exit $fail
