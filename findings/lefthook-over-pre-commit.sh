#!/bin/bash
# lefthook 2.2.2 and pre-commit 4.7.0 (both PyPI), git 2.31 or later.
# Found: after `lefthook install` and `pre-commit install` both check each commit message: pre-commit keeps lefthook's hook as commit-msg.legacy
# and runs it. Then lefthook.yml gets a hook for another stage, as a pull may bring. At the next `git commit` lefthook's pre-commit hook installs
# lefthook anew, in the middle of this commit: it renames pre-commit's commit-msg to commit-msg.old, which nothing runs, and puts its own in place.
# This commit and all later ones are made without the check of pre-commit, and exit with 0.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
python3 -m venv "$d/v"; "$d/v/bin/pip" -q install lefthook==2.2.2 pre-commit==4.7.0 || { echo "cannot install"; exit 2; }
export PATH=$d/v/bin:$PATH HOME=$d GIT_CONFIG_NOSYSTEM=1; git --version; pre-commit --version; echo "lefthook $(lefthook version)"
git config --global user.name A; git config --global user.email a@example.org; git init -q "$d/r"; cd "$d/r" || exit 2
configure() { for hook; do printf '%s:\n  commands:\n    log:\n      run: echo lefthook %s >> %s/ran\n' "$hook" "$hook" "$d"; done > lefthook.yml; }
configure pre-commit commit-msg; touch -d 2020-01-01 lefthook.yml
printf '#!/bin/sh\necho pre-commit commit-msg >> %s/ran\n' "$d" > "$d/entry"; chmod +x "$d/entry"
echo "repos: [{repo: local, hooks: [{id: log, name: log, language: system, entry: $d/entry, stages: [commit-msg], always_run: true}]}]" > .pre-commit-config.yaml
git add .; git commit -qm zero; lefthook install >/dev/null 2>&1; pre-commit install -t commit-msg >/dev/null
try() { # CASE EXPECTED
	: > "$d/ran"; echo "$1" > file; git add file; git commit -qm "$1" >/dev/null 2>&1; code=$?
	got="exit $code, ran: $(sort "$d/ran" | paste -sd,); hooks: $(find .git/hooks -name 'commit-msg*' ! -name '*.sample' -printf '%f\n' | sort | paste -sd,)"
	echo "$1: $got"; [ "$got" = "$2" ] || { echo "CHANGED: expected '$2'"; fail=1; }; }
try "both installed" "exit 0, ran: lefthook commit-msg,lefthook pre-commit,pre-commit commit-msg; hooks: commit-msg,commit-msg.legacy"
configure pre-commit commit-msg post-merge
try "lefthook.yml has one more hook" "exit 0, ran: lefthook commit-msg,lefthook pre-commit; hooks: commit-msg,commit-msg.legacy,commit-msg.old"
try "the next commit" "exit 0, ran: lefthook commit-msg,lefthook pre-commit; hooks: commit-msg,commit-msg.legacy,commit-msg.old"
exit $fail
