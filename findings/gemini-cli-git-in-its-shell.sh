#!/bin/bash
# Gemini CLI 0.61.0 (npm), git 2.31 or later. The model is the small program below: it asks for one shell command.
# Found: the shell tool hides the user's and the system's configuration from git and sets eight options by GIT_CONFIG_COUNT, most of them to
# nothing, as if that meant "off". For some it means something else. With an empty diff.external plain `git diff` dies as soon as a file has
# changed ("cannot run : No such file or directory"); with an empty core.editor `git commit --amend` fails without -m or --no-edit.
# core.hooksPath is empty, too: the hooks in .git/hooks do not run, so what a team does in commit-msg or post-commit is missing from the
# agent's commits. An identity in ~/.gitconfig does not count: the agent cannot commit until user.name is set in the repository.
# The same commands work in the user's own terminal.
set -u; d=$(mktemp -d); trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" @google/gemini-cli@0.61.0 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
cat > "$d/model.py" <<'P'
import http.server, json, sys
class Model(http.server.BaseHTTPRequestHandler):
	def log_message(self, *_): pass
	def do_POST(self):
		asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
		part = {"functionCall": {"name": "run_shell_command", "args": {"command": "sh %s" % sys.argv[1]}}}
		if "functionResponse" in asked: part = {"text": "Done."}
		event = {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}]}
		self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.end_headers()
		self.wfile.write(("data: %s\n\n" % json.dumps(event)).encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model); print(server.server_port, flush=True); server.serve_forever()
P
cat > "$d/try.sh" <<'C'
git diff >/dev/null 2>&1; diff=$?
git commit -qam one 2>/dev/null; commit=$?
echo three > f; git config user.name A; git config user.email a@example.org
git commit -qam two; git commit -q -n --amend >/dev/null 2>&1; amend=$?
echo "exit codes: diff $diff, commit $commit, amend $amend; hook ran $(wc -l < ran) times"
C
python3 "$d/model.py" "$d/try.sh > $d/got" > "$d/port" & while [ ! -s "$d/port" ]; do sleep 0.1; done
export PATH=$d/node_modules/.bin:$PATH HOME=$d/home GEMINI_API_KEY=x GIT_CONFIG_NOSYSTEM=1; mkdir -p "$HOME/.gemini"
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}' > "$HOME/.gemini/settings.json"
git config --global user.name A; git config --global user.email a@example.org; git config --global core.editor true
repository() {
	rm -rf "$d/r"; git init -q "$d/r"; cd "$d/r" || exit 2; git config user.useConfigOnly true; echo one > f; git add f; git commit -qm zero; echo two > f
	: > ran; printf '#!/bin/sh\necho x >> ran\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; }
repository; sh "$d/try.sh" > "$d/terminal"
repository; GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$(cat "$d/port") gemini -m gemini-2.5-flash --skip-trust --approval-mode yolo -p Begin >/dev/null 2>&1 </dev/null
git --version; echo "gemini $(gemini --version)"
check() { echo "$1: $(cat "$2")"; [ "$(cat "$2")" = "$3" ] || { echo "CHANGED: expected '$3'"; fail=1; }; }
check "in a terminal" "$d/terminal" "exit codes: diff 0, commit 0, amend 0; hook ran 2 times"
check "in Gemini CLI" "$d/got" "exit codes: diff 128, commit 128, amend 1; hook ran 0 times"
exit $fail
