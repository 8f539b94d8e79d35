#!/bin/bash
# dulwich 1.2.21, pygit2 1.21.0 (libgit2), GitPython 3.2.1, all from PyPI, beside `git log --format=%(trailers)` of git 2.31 or later.
# Found: four readers of one commit agree on its trailers only if the message is plain.
# After `git cherry-pick -x` dulwich finds none: "(cherry picked from commit ...)" ends its search, while the others skip the line.
# pygit2 keeps the last of several values (two Co-authored-by, say): message_trailers is a dict. If a trailer has no value, libgit2 makes the whole
# next line its value, and the next trailer is lost. If the text has a line "---", only git log finds the trailers below it: for the three libraries
# the message ends there, as it does for git interpret-trailers. So git itself has two answers.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
python3 -m venv "$d/v"; "$d/v/bin/pip" -q install dulwich==1.2.21 pygit2==1.21.0 GitPython==3.2.1 || { echo "cannot install"; exit 2; }
export HOME=$d GIT_CONFIG_NOSYSTEM=1; git --version
git config --global user.name A; git config --global user.email a@example.org; git init -q "$d/r"; cd "$d/r" || exit 2
cat > "$d/read.py" <<'P'
import dulwich.repo, dulwich.trailers, git, pygit2
ours, theirs, others = dulwich.repo.Repo("."), pygit2.Repository("."), git.Repo(".")
found = {"dulwich": [(t.key, t.value) for t in dulwich.trailers.parse_trailers(ours[ours.head()].message)[1]],
	"pygit2": theirs[theirs.head.target].message_trailers.items(), "GitPython": others.head.commit.trailers_list}
print("; ".join(name + ": " + (", ".join("%s=%s" % (key, value.replace("\n", "|")) for key, value in pairs) or "none") for name, pairs in found.items()))
ours.close()
P
git commit -q --allow-empty -m start
try() { # CASE MESSAGE EXPECTED
	printf '%b' "$2" | git commit -q --allow-empty -F -
	if [ "$1" = "cherry-pick -x" ]; then new=$(git rev-parse HEAD); git checkout -q HEAD~; git cherry-pick --allow-empty -x "$new" >/dev/null 2>&1; fi
	got="git: $(git log -1 --format='%(trailers:only,key_value_separator==,separator=%x2C )'); $("$d/v/bin/python" "$d/read.py")"
	echo "$1 -> $got"; [ "$got" = "$3" ] || { echo "CHANGED: expected '$3'"; fail=1; }; }
try "plain" 'one\n\nText.\n\nIssue: 1\nTask: 2\n' "git: Issue=1, Task=2; dulwich: Issue=1, Task=2; pygit2: Issue=1, Task=2; GitPython: Issue=1, Task=2"
try "a key twice" 'one\n\nText.\n\nWith: B\nWith: C\n' "git: With=B, With=C; dulwich: With=B, With=C; pygit2: With=C; GitPython: With=B, With=C"
try "no value" 'one\n\nText.\n\nIssue:\nTask: 2\n' "git: Issue=, Task=2; dulwich: Issue=, Task=2; pygit2: Issue=|Task: 2; GitPython: Issue=, Task=2"
try "a line ---" 'one\n\nText.\n---\nMore.\n\nIssue: 1\n' "git: Issue=1; dulwich: none; pygit2: none; GitPython: none"
try "cherry-pick -x" 'one\n\nText.\n\nIssue: 1\n' "git: Issue=1; dulwich: none; pygit2: Issue=1; GitPython: Issue=1"
exit $fail
