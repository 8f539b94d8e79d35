#!/bin/bash
# Claude Code 2.1.328, Codex 0.169.0 (with a model of another provider), Gemini CLI 0.61.0, all from npm. The MCP server and the model are
# the two small programs below.
# Found: a result of an MCP tool may have text in `content` and data in `structuredContent`. Claude Code and Codex show their model only the
# data, Gemini CLI only the text, and none of them mentions that there is more. Unless a server repeats everything in both, some model misses it.
# An error (isError) whose only text is a JSON object reaches the model in Claude Code and Codex. Gemini CLI takes this text for structured data,
# checks it against the outputSchema of a successful answer, and tells its model that the schema does not match, but not the error.
set -u; d=$(mktemp -d); trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$d"' EXIT; fail=0
npm install --silent --no-audit --no-fund --prefix "$d" @anthropic-ai/claude-code@2.1.328 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 >/dev/null 2>&1 || { echo "cannot install"; exit 2; }
cat > "$d/zoo.py" <<'P'
import json, sys
answers = {"feed": {"content": [{"type": "text", "text": "SOME-WORDS"}], "structuredContent": {"n": "SOME-DATA"}},
	"lose": {"isError": True, "content": [{"type": "text", "text": '{"reason": "THE-REASON"}'}]}}
schema = {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}
tools = [{"name": name, "inputSchema": {"type": "object", "properties": {}}, "outputSchema": schema, "annotations": {"readOnlyHint": True}} for name in answers]
for m in map(json.loads, sys.stdin):
	given = m.get("params") or {}
	hello = {"protocolVersion": given.get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "zoo", "version": "1"}}
	result = {"initialize": hello, "tools/list": {"tools": tools}, "tools/call": answers.get(given.get("name"))}.get(m["method"], {})
	if "id" in m: print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
P
cat > "$d/model.py" <<'P'
import http.server, json, re, sys
class Model(http.server.BaseHTTPRequestHandler):  # A POST to /TOOL/... calls that tool once, then says "Done."
	def log_message(self, *_): pass
	def do_POST(self):
		asked = self.rfile.read(int(self.headers["Content-Length"])).decode(); open(sys.argv[1], "a").write(asked)
		name = re.search(r'"name":\s*"(\w*%s)"' % self.path.split("/")[1], asked); call = name and "call_zoo" not in asked and "functionResponse" not in asked
		if "/messages" in self.path:
			part = {"type": "tool_use", "id": "call_zoo", "name": name[1], "input": {}} if call else {"type": "text", "text": "Done."}
			message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}
			events = [{"type": "message_start", "message": message}, {"type": "content_block_start", "index": 0, "content_block": part}, {"type": "content_block_stop", "index": 0},
				{"type": "message_delta", "delta": {"stop_reason": "tool_use" if call else "end_turn"}, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
		elif "/responses" in self.path:
			item = {"type": "function_call", "call_id": "call_zoo", "name": name[1], "namespace": "mcp__zoo", "arguments": "{}"} if call else {"type": "message", "role": "assistant", "content": []}
			events = [{"type": "response.output_item.done", "item": item}, {"type": "response.completed", "response": {"id": "r"}}]
		else:
			part = {"functionCall": {"name": name[1], "args": {}}} if call else {"text": "Done."}
			events = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}]}]
		self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.end_headers()
		for e in events: self.wfile.write((("event: %s\n" % e["type"] if "type" in e else "") + "data: %s\n\n" % json.dumps(e)).encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model); print(server.server_port, flush=True); server.serve_forever()
P
python3 "$d/model.py" "$d/asked" > "$d/port" & while [ ! -s "$d/port" ]; do sleep 0.1; done
export PATH=$d/node_modules/.bin:$PATH HOME=$d/home ANTHROPIC_API_KEY=x OPENAI_API_KEY=x GEMINI_API_KEY=x ENABLE_TOOL_SEARCH=false CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
mkdir -p "$HOME/w" "$HOME/.gemini" "$HOME/.codex"; cd "$HOME/w" || exit 2; git init -q; for client in claude codex gemini; do "$client" --version; done 2>/dev/null
zoo='"mcpServers": {"zoo": {"command": "python3", "args": ["'$d'/zoo.py"], "trust": true}}'; echo "{$zoo}" > "$d/mcp.json"
echo "{$zoo, \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \"privacy\": {\"usageStatisticsEnabled\": false}}" > "$HOME/.gemini/settings.json"
ask() { # CLIENT TOOL WORD...: which of the words the model saw
	client=$1 url=http://127.0.0.1:$(cat "$d/port")/$2 got=; : > "$d/asked"; shift 2
	case $client in
	claude) ANTHROPIC_BASE_URL=$url claude -p Begin --mcp-config "$d/mcp.json" --allowedTools mcp__zoo ;;
	codex) codex exec -m m -c model_provider=m -c 'model_providers.m={name="m", base_url="'"$url"'", wire_api="responses", env_key="OPENAI_API_KEY"}' -c 'mcp_servers.zoo={command="python3", args=["'"$d"'/zoo.py"]}' Begin ;;
	gemini) GOOGLE_GEMINI_BASE_URL=$url gemini -m gemini-2.5-flash --skip-trust --approval-mode yolo -p Begin ;;
	esac </dev/null >/dev/null 2>&1; for word; do grep -q -e "$word" "$d/asked" && got="$got $word"; done; echo "$client:${got:- neither}"; }
for want in 'claude: SOME-DATA/claude: THE-REASON' 'codex: SOME-DATA/codex: THE-REASON' 'gemini: SOME-WORDS/gemini: output schema'; do
	got=$(ask "${want%%:*}" feed SOME-WORDS SOME-DATA)/$(ask "${want%%:*}" lose THE-REASON 'output schema')
	echo "answer and error as the model saw them: $got"; [ "$got" = "$want" ] || { echo "CHANGED: expected '$want'"; fail=1; }
done
exit $fail
