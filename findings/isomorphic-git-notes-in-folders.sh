#!/bin/bash
# isomorphic-git 1.44.11 (npm), git 2.31 or later.
# Found: isomorphic-git looks for notes only at the top of the notes tree. When there are many, git moves them into folders of two hex
# digits, as it has with 400, and reads both forms. Then readNote does not find a note that git shows, listNotes returns folders ("00") in
# place of commits, and addNote, which refuses to replace a note unless forced, sees none and adds a second one for the same commit at the top.
# git shows the two as one text, and writes them as one when it next changes the notes. So a program that keeps records in notes works
# until there are a few hundred of them, and then begins to double them in silence.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" isomorphic-git@1.44.11 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
export HOME=$d GIT_CONFIG_NOSYSTEM=1; git --version; echo "isomorphic-git $(node -p 'require(process.argv[1]).version' "$d/node_modules/isomorphic-git/package.json")"
git config --global user.name A; git config --global user.email a@example.org
cat > "$d/try.js" <<'J'
const fs = require('fs'), git = require('isomorphic-git'), here = { fs, dir: process.argv[2] }, author = { name: 'A', email: 'a@example.org' };
(async () => {
	const oid = await git.resolveRef({ ...here, ref: 'HEAD' });
	const read = await git.readNote({ ...here, oid }).then(text => Buffer.from(text).toString().trim(), error => error.code);
	const listed = (await git.listNotes(here)).filter(note => note.target.length === 40).length;
	const added = await git.addNote({ ...here, oid, note: 'second', author }).then(() => 'written', error => error.code);
	console.log(`readNote: ${read}; listNotes: ${listed} commits; addNote: ${added}`);
})();
J
try() { # COMMITS EXPECTED
	rm -rf "$d/r"; git init -q "$d/r"; cd "$d/r" || exit 2
	for i in $(seq "$1"); do printf 'commit HEAD\ncommitter A <a@example.org> %s +0000\ndata 1\nx\n' "$((1700000000 + i))"; done | git fast-import --quiet
	for commit in $(git rev-list HEAD); do git notes add -m first "$commit"; done
	got="$(NODE_PATH=$d/node_modules node "$d/try.js" "$d/r"); git then: $(git notes show HEAD | paste -sd' ')"
	echo "$1 notes: $got"; [ "$got" = "$2" ] || { echo "CHANGED: expected '$2'"; fail=1; }; }
try 10 "readNote: first; listNotes: 10 commits; addNote: AlreadyExistsError; git then: first"
try 400 "readNote: NotFoundError; listNotes: 0 commits; addNote: written; git then: first  second"
exit $fail
