#!/bin/bash
# dulwich 1.2.21 (PyPI), git 2.31 or later.
# Found: two people push different commits to one branch at nearly the same time, through dulwich's HTTP server (dulwich.web). The second push
# names an old value that is no longer true. dulwich rightly leaves the branch alone, but answers "ok". `git push` believes that: it exits with 0
# and moves origin/main to a commit that the server's branch does not have. git's own server rejects the same push.
# The pre-push hook of one clone runs the push of the other, so that the moment is certain: git calls it after it has read the server's
# refs and before it sends its own.
set -u; d=$(mktemp -d); trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$d"' EXIT; fail=0
python3 -m venv "$d/v"; "$d/v/bin/pip" -q install dulwich==1.2.21 || { echo "cannot install"; exit 2; }
export HOME=$d GIT_CONFIG_NOSYSTEM=1; git --version; "$d/v/bin/pip" list 2>/dev/null | grep dulwich
git config --global user.name A; git config --global user.email a@example.org; git config --global init.defaultBranch main
mkdir "$d/dulwich" "$d/git"; for s in dulwich git; do git init -q --bare "$d/$s/r.git"; done
cat > "$d/serve.py" <<'P'
import sys
from wsgiref.simple_server import make_server
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import WSGIRequestHandlerLogger, WSGIServerLogger, make_wsgi_chain
server = make_server("127.0.0.1", 0, make_wsgi_chain(DictBackend({"/r.git": Repo(sys.argv[1])})), handler_class=WSGIRequestHandlerLogger, server_class=WSGIServerLogger)
print(server.server_port, flush=True); server.serve_forever()
P
"$d/v/bin/python" "$d/serve.py" "$d/dulwich/r.git" > "$d/port" 2>/dev/null & while [ ! -s "$d/port" ]; do sleep 0.1; done
try() { # SERVER URL EXPECTED
	cd "$d/$1" || exit 2; for clone in a b; do git clone -q "$2" $clone 2>/dev/null; [ $clone = b ] || { git -C a commit -q --allow-empty -m start; git -C a push -q origin main; }; done
	for clone in a b; do git -C $clone commit -q --allow-empty -m "from $clone"; done
	printf '#!/bin/sh\ngit -C "%s" push -q origin main\n' "$PWD/a" > b/.git/hooks/pre-push; chmod +x b/.git/hooks/pre-push
	git -C b push -q origin main >/dev/null 2>&1; got="b's push exits $?; the server has '$(git -C r.git log -1 --format=%s main)'; b thinks that it has '$(git -C b log -1 --format=%s origin/main)'"
	echo "$1: $got"; [ "$got" = "$3" ] || { echo "CHANGED: expected '$3'"; fail=1; }; }
try git "$d/git/r.git" "b's push exits 1; the server has 'from a'; b thinks that it has 'start'"
try dulwich "http://127.0.0.1:$(cat "$d/port")/r.git" "b's push exits 0; the server has 'from a'; b thinks that it has 'from b'"
exit $fail
