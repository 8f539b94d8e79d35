# The repository in which the examples of the help are run. `$1` is how far its work has come: waiting, working, ended
# or failed.
set -e
# A hook of the user's.
printf '#!/bin/sh\n' >.git/hooks/commit-msg && chmod +x .git/hooks/commit-msg
git wf init --remote origin
# An agent that answers a ping, and any other question with a roadmap.
cat >../claude <<'END'
#!/bin/sh
asked=$(cat)
nonce=$(printf %s "$asked" | sed -n 's/.*"nonce": *"\([^"]*\)".*/\1/p')
if [ "$nonce" ]; then echo "{\"pong\":\"$nonce\"}"; else cat "${0%/*}/answer.json"; fi
END
mkdir ../bin
cat >../bin/gh <<'END'
#!/bin/sh
echo '[{"number":7,"title":"From GitHub","body":"","state":"OPEN","author":{"login":"ada"},"createdAt":"2026-01-01T08:00:00Z","updatedAt":"2026-01-01T08:00:00Z","comments":[],"labels":[],"assignees":[],"url":"https://github.com/zoo/okapi/issues/7"}]'
END
chmod +x ../claude ../bin/gh
git config wf.agent.claude.command ../claude
printf 'fn one() {}\n' >app.rs
git add app.rs && git commit -q -m 'Begin'
git push -q origin HEAD:main
mkdir -p .wf/templates
printf -- '---\nname: Bug\nlabels: bug\n---\nSteps:\n' >.wf/templates/bug.md
printf '{"id":"bd-1","title":"From beads","status":"open","priority":2,"issue_type":"task","created_at":"2026-11-01T00:00:00Z","updated_at":"2026-11-01T00:00:00Z"}\n' >issues.jsonl
plan() {
  git wf plan "$@" --risk low --impact low --complexity low --step 'Write it' --step 'Call it' \
    --done-when 'app.rs has two functions' --verify 'grep -c fn app.rs prints 2' --test true --file app.rs
}
git wf new 'Tokens expire too early' --id ISS-001 -t auth -p high -m 'After an hour.'
git wf comment ISS-001 'Seen on staging'
git wf feedback ISS-001 'Say which token'
for n in 2 3 4; do
  git wf new "Limit requests to service $n" --id ISS-00$n -t api
  # Nobody reviews their own plan, so an agent makes one.
  (if [ $n = 2 ]; then export WF_ACTOR=planner; fi; plan ISS-00$n --task "Add limit $n" >/dev/null)
done
git wf new 'Write the release notes' --id ISS-005 --assignee Ada
git wf schema solution --example >plan.json
echo "Seen on two machines." >notes.md
git wf schema roadmap-document --example >roadmap.json
git wf schema roadmap-answer --example >../answer.json
git wf queue manage new release >/dev/null
git wf queue manage new later >/dev/null
git wf queue add ISS-003 ISS-004 --queue release
git wf wisdom add 'Which clock do tokens use?' --type question >/dev/null
git wf export jsonl -o store.jsonl
git wf export ccw -o .workflow/issues
git wf sync
git remote add github https://github.com/zoo/okapi.git
# What the ids that depend on the time are here.
id() { sed -n 's/^\[{"id":"\([^"]*\)".*/\1/p'; }
echo "s/0n0bc97t/$(git wf wisdom --json | id)/" >ids.sed
case $1 in
  waiting)
    git wf queue overlaps --add api --items ISS-003,ISS-004 --resolution manual
    git wf roadmap add roadmap.json
    echo "s/RMAP-two-currencies-20261121-7k3m2pq9/$(git wf roadmap list --json | id)/" >>ids.sed
    git clone -q -b main ../origin.git ../other
    (cd ../other && git wf init && git wf edit ISS-001 --title 'Tokens end too early' && git wf sync)
    git wf edit ISS-001 --title 'Tokens expire at once'
    git wf sync
    git wf edit ISS-005 -t notes
    ;;
  *)
    git wf next >/dev/null
    printf 'fn one() {}\nfn two() {}\n' >app.rs
    git commit -q -a -m 'Add limit 3'
    git wf link HEAD ISS-003 >/dev/null 2>&1 || true
    ;;
esac
case $1 in
  ended)
    git wf verify --yes >/dev/null
    git wf done -m 'Limited' >/dev/null
    git wf new 'Answer the question' --id GH-123 --source-url https://github.com/zoo/okapi/issues/123
    plan GH-123 --task 'Answer' >/dev/null
    git wf next GH-123 >/dev/null
    echo '// answered' >>app.rs && git commit -q -a -m 'Answer'
    git wf link HEAD GH-123 >/dev/null
    git wf done -m 'Answered' >/dev/null
    # A run to look at; what came of it does not matter.
    git wf run ISS-004 --planner /bin/false --executor /bin/false --yes >/dev/null 2>&1 || true
    ;;
  failed)
    git wf fail 'The service is gone' >/dev/null
    # Keeps the user's hook.
    git wf hooks install >/dev/null
    ;;
esac
