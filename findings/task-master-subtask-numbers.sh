#!/bin/bash
# task-master-ai 0.43.1 (npm).
# Found: the dependency 1 of a task means task 1, the dependency 1 of a subtask means its sibling 1, and two commands mix them up.
# `add-subtask --parent=4 --task-id=3` turns task 3, which waits for task 2, into subtask 4.3 and leaves the number as it is: from now on it
# waits for its new sibling 4.2. `remove-task --id=1` takes the 1 out of the subtasks of other tasks as well, so that 2.2 no longer waits for 2.1.
# `validate-dependencies` then finds nothing wrong.
# Besides, the ids of all tasks turn from numbers into strings with one command and back with the next one: [1, 2] and ["1", "2"] are
# the same tasks, whichever of them a command was about.
set -u; d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" task-master-ai@0.43.1 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
export PATH=$d/node_modules/.bin:$PATH HOME=$d CI=1; echo "task-master $(task-master --version 2>/dev/null)"
mkdir -p "$d/w/.taskmaster/tasks"; cd "$d/w" || exit 2; echo '{}' > .taskmaster/config.json
python3 - <<'P'
import json
def task(number, waits_for, parts=()):
	return {"id": number, "title": f"Task {number}", "description": "d", "status": "pending", "dependencies": waits_for, "details": "", "testStrategy": "", "priority": "high", "subtasks": parts}
tasks = [task(1, []), task(2, [], [task(1, []), task(2, [1])]), task(3, [2]), task(4, [], [task(1, []), task(2, [])])]
json.dump({"master": {"tasks": tasks, "metadata": {"created": "2026-11-01T00:00:00.000Z", "updated": "2026-11-01T00:00:00.000Z"}}}, open(".taskmaster/tasks/tasks.json", "w"))
P
show() { # the ids, and what 2.2 and the last subtask of 4 wait for
	python3 -c 'import json
tasks = {str(t["id"]): t for t in json.load(open(".taskmaster/tasks/tasks.json"))["master"]["tasks"]}
second, last = tasks["2"]["subtasks"][1], tasks["4"]["subtasks"][-1]
print("ids", json.dumps([t["id"] for t in tasks.values()]) + "; 2.2 waits for", str([int(n) for n in second["dependencies"]]) + "; 4.%s waits for" % last["id"], [int(n) for n in last["dependencies"]])'; }
try() { # COMMAND EXPECTED
	# shellcheck disable=SC2086
	task-master $1 >out 2>&1; got="exit $?, $(show)"; echo "$1: $got"
	[ "$got" = "exit 0, $2" ] || { echo "CHANGED: expected '$2'"; fail=1; }; }
try "list" 'ids [1, 2, 3, 4]; 2.2 waits for [1]; 4.2 waits for []'
try "set-status --id=3 --status=in-progress" 'ids ["1", "2", "3", "4"]; 2.2 waits for [1]; 4.2 waits for []'
try "add-subtask --parent=4 --task-id=3" 'ids [1, 2, 4]; 2.2 waits for [1]; 4.3 waits for [2]'
try "set-status --id=2 --status=done" 'ids ["1", "2", "4"]; 2.2 waits for [1]; 4.3 waits for [2]'
try "remove-task --id=1 --yes" 'ids [2, 4]; 2.2 waits for []; 4.3 waits for [2]'
try "validate-dependencies" 'ids [2, 4]; 2.2 waits for []; 4.3 waits for [2]'
grep -q "all dependencies are valid" out || { echo "CHANGED: expected 'all dependencies are valid'"; fail=1; }
exit $fail
