#!/bin/bash
# get-shit-done-cc 1.42.3 with Node 22.21.1 (both npm).
# Found: `gsd-tools phase remove 1` renumbers the later phases: 02-okapi/02-02-PLAN.md becomes 01-okapi/01-02-PLAN.md. The plans themselves stay as
# they are, so 01-02 still says `depends_on: ["02-01"]`, which is now a plan of another phase. `phase-plan-index 1` puts a plan after those of its
# own phase only: 01-02, which was in wave 2 after the first plan of its phase, is now in wave 1 beside it, with a warning about the declared wave.
# `validate consistency` passes without a warning, and the roadmap says that phase 1 depends on phase 1.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
cd "$d" || exit 2; npm install --silent --no-audit --no-fund --prefix "$d" get-shit-done-cc@1.42.3 node@22.21.1 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
export PATH=$d/node_modules/.bin:$PATH HOME=$d; gsd() { node "$d/node_modules/get-shit-done-cc/get-shit-done/bin/gsd-tools.cjs" "$@"; }
echo "node $(node --version), get-shit-done-cc $(node -p 'require("./node_modules/get-shit-done-cc/package.json").version')"
mkdir r; cd r || exit 2; git init -q; mkdir -p .planning/phases/{01-leaves,02-okapi,03-wash}
printf '# Roadmap: Zoo\n\n## Phases\n\n' > .planning/ROADMAP.md
for phase in 1:Leaves 2:Okapi 3:Wash; do echo "- [ ] **Phase ${phase%:*}: ${phase#*:}** - ${phase#*:}" >> .planning/ROADMAP.md; done
printf '\n## Phase Details\n' >> .planning/ROADMAP.md; before=Nothing
for phase in 1:Leaves 2:Okapi 3:Wash; do printf '\n### Phase %s: %s\n\n**Goal**: %s\n**Depends on**: %s\n' "${phase%:*}" "${phase#*:}" "${phase#*:}" "$before"; before="Phase ${phase%:*}"; done >> .planning/ROADMAP.md
plan() { # PHASE FOLDER NUMBER WAVE DEPENDENCIES
	printf -- '---\nphase: %s\nplan: %s\ntype: execute\nwave: %s\ndepends_on: [%s]\nfiles_modified: [zoo.txt]\nautonomous: true\nmust_haves:\n  truths: []\n---\n\n<objective>\nDo it.\n</objective>\n\n<tasks>\n<task type="auto"><name>Task 1: Do it</name><files>zoo.txt</files><action>Do it.</action><verify>true</verify><done>Done</done></task>\n</tasks>\n' "$2" "$3" "$4" "$5" > ".planning/phases/$2/$1-$3-PLAN.md"; }
plan 02 02-okapi 01 1 ''; plan 02 02-okapi 02 2 '"02-01"'; plan 03 03-wash 01 1 ''
waves() { gsd phase-plan-index "$1" | node -e 'const i = JSON.parse(require("fs").readFileSync(0)); console.log(JSON.stringify(i.waves), (i.warnings || []).join("; "))'; }
expect() { # WHAT EXPECTED GOT
	echo "$1: $3"; [ "$3" = "$2" ] || { echo "CHANGED: expected '$2'"; fail=1; }; }
expect "waves before" '{"1":["02-01"],"2":["02-02"]} ' "$(waves 2)"
gsd phase remove 1 >/dev/null
expect "plans" "01-okapi/01-01-PLAN.md 01-okapi/01-02-PLAN.md 02-wash/02-01-PLAN.md" "$(cd .planning/phases && echo */*PLAN.md)"
expect "the second plan" 'depends_on: ["02-01"]' "$(grep depends_on .planning/phases/01-okapi/01-02-PLAN.md)"
expect "waves afterwards" '{"1":["01-01","01-02"]} Plan 01-02: declared wave: 2 but depends_on DAG places it in wave 1' "$(waves 1)"
expect "consistency" 'true []' "$(gsd validate consistency | node -e 'const r = JSON.parse(require("fs").readFileSync(0)); console.log(r.passed, JSON.stringify(r.warnings))')"
expect "the first phase" '**Depends on**: Phase 1' "$(grep -A4 '^### Phase 1: Okapi' .planning/ROADMAP.md | grep Depends)"
exit $fail
