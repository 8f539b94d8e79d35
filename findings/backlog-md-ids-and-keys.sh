#!/bin/bash
# backlog.md 1.52.0 (npm).
# Found: an id does not stay with its task. Archiving the task with the highest number frees that number: after `task archive 3` the next
# task is TASK-3 again, under another name, and when it is archived as well, two files of the archive have the same id. A commit message or
# link that says TASK-3 then means one of several tasks. The number of a completed task is not used again.
# `task edit` writes the front matter from the keys that it knows: a key of another tool and every comment disappear when somebody adds a
# label. Sections that it does not know stay in the text, so whoever keeps a reference in these files should write it there.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" backlog.md@1.52.0 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
export PATH=$d/node_modules/.bin:$PATH HOME=$d GIT_CONFIG_NOSYSTEM=1; echo "backlog $(backlog --version)"
git config --global user.name A; git config --global user.email a@example.org
git init -q "$d/r"; cd "$d/r" || exit 2; git commit -q --allow-empty -m start; backlog init Zoo --defaults >/dev/null 2>&1
check() { echo "$1: $2"; [ "$2" = "$3" ] || { echo "CHANGED: expected '$3'"; fail=1; }; }
new() { backlog task create "$1" --plain | grep '^Task'; }
for title in Feed Clean Count; do new "$title" >/dev/null; done
backlog task archive 3 >/dev/null; check "the next task after TASK-3 was archived" "$(new Paint)" "Task TASK-3 - Paint"
backlog task archive 3 >/dev/null; check "the archive" "$(find backlog/archive -name 'task-3 *' -printf '%f\n' | sort | paste -sd,)" "task-3 - Count.md,task-3 - Paint.md"
new Repair >/dev/null; backlog task edit 3 -s Done >/dev/null; backlog task complete 3 >/dev/null
check "the next task after TASK-3 was completed" "$(new Repaint)" "Task TASK-4 - Repaint"
file="backlog/tasks/task-1 - Feed.md"; sed -i 's/^ordinal:.*/&\nexternal_key: GH-12 # the tracker has more/' "$file"; printf '\n## Tracker\n\nSee GH-12.\n' >> "$file"
check "lines about GH-12 before an edit" "$(grep -c GH-12 "$file")" 2
backlog task edit 1 --label hot >/dev/null; check "lines about GH-12 after \`task edit 1 --label hot\`" "$(grep GH-12 "$file")" "See GH-12."
exit $fail
