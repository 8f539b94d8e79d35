#!/bin/bash
# simple-git-hooks 2.14.0, husky 9.1.7 (npm), lefthook 2.2.2, pre-commit 4.7.0, prek 0.5.11 (PyPI), Git LFS 3.3.0 (Debian 12, git-lfs).
# Found: Git LFS uploads files from a pre-push hook. Of five hook managers, each installed after it with a pre-push hook of its own, two turn
# that off without a word. simple-git-hooks deletes all four hooks of Git LFS, those that it has nothing to put in place of as well; husky
# points git to another folder. `git push` still exits with 0, and the remote has pointers to files that it never received. Both run from
# package.json at each `npm install`, so that `git lfs update --force` helps only until the next one.
# lefthook renames the hook to pre-push.old, which nothing runs, but calls `git lfs` itself; pre-commit and prek run the old hook first.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" simple-git-hooks@2.14.0 husky@9.1.7 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
python3 -m venv "$d/v"; "$d/v/bin/pip" -q install lefthook==2.2.2 pre-commit==4.7.0 prek==0.5.11 || { echo "cannot install"; exit 2; }
(cd "$d" && apt-get -qq download git-lfs=3.3.0-1+deb12u2 && dpkg -x git-lfs_*.deb lfs) >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
export PATH=$d/node_modules/.bin:$d/v/bin:$d/lfs/usr/bin:$PATH HOME=$d GIT_CONFIG_NOSYSTEM=1; git --version; git lfs version
git config --global user.name A; git config --global user.email a@example.org; git lfs install --skip-repo >/dev/null
try() { # MANAGER EXPECTED
	rm -rf "$d/r" "$d/p.git"; git init -q --bare "$d/p.git"; git init -q "$d/r"; cd "$d/r" || exit 2
	git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null; git remote add origin "$d/p.git"
	case $1 in
	simple-git-hooks) echo '{"simple-git-hooks": {"pre-push": "true"}}' > package.json; simple-git-hooks ;;
	husky) echo '{}' > package.json; husky; echo true > .husky/pre-push; rm -f .husky/pre-commit ;;
	lefthook) printf 'pre-push:\n  commands:\n    x:\n      run: "true"\n' > lefthook.yml; lefthook install ;;
	pre-commit | prek)
		echo 'repos: [{repo: local, hooks: [{id: x, name: x, language: system, entry: "true", stages: [pre-push], always_run: true}]}]' > .pre-commit-config.yaml
		$1 install -t pre-push ;;
	esac >/dev/null 2>&1
	head -c 999 /dev/zero > a.bin; git add .; git commit -qm one >/dev/null 2>&1; git push -q origin HEAD >/dev/null 2>&1; code=$?
	got="push exits $code, files uploaded: $(find "$d/p.git/lfs/objects" -type f 2>/dev/null | wc -l), hooks in .git/hooks: $(find .git/hooks -type f ! -name '*.sample' | wc -l)"
	echo "$1: $got"; [ "$got" = "$2" ] || { echo "CHANGED: expected '$2'"; fail=1; }; }
try "Git LFS alone" "push exits 0, files uploaded: 1, hooks in .git/hooks: 4"
try simple-git-hooks "push exits 0, files uploaded: 0, hooks in .git/hooks: 1"
try husky "push exits 0, files uploaded: 0, hooks in .git/hooks: 4"
try lefthook "push exits 0, files uploaded: 1, hooks in .git/hooks: 5"
try pre-commit "push exits 0, files uploaded: 1, hooks in .git/hooks: 5"
try prek "push exits 0, files uploaded: 1, hooks in .git/hooks: 5"
exit $fail
