# git-wf replaces the lines from here to the end of the shim and leaves all others alone.
git_wf=@PROGRAM@
# Find git-wf on the PATH, else use the program that installed this hook; without either, $git_wf is empty. A relative or
# empty entry of the PATH is the work tree, whose files came from others: neither this script nor git-wf runs any of them.
git_wf_rest=$PATH:
git_wf_path=
git_wf_found=
while [ -n "$git_wf_rest" ]; do
	git_wf_entry=${git_wf_rest%%:*}
	git_wf_rest=${git_wf_rest#*:}
	case $git_wf_entry in
	/*) git_wf_path=$git_wf_path${git_wf_path:+:}$git_wf_entry ;;
	*) continue ;;
	esac
	if [ -z "$git_wf_found" ] && [ -f "$git_wf_entry/git-wf" ] && [ -x "$git_wf_entry/git-wf" ]; then
		git_wf_found=$git_wf_entry/git-wf
	fi
done
# An empty PATH would mean the current directory.
git_wf_path=${git_wf_path:-/usr/bin:/bin}
if [ -n "$git_wf_found" ]; then
	git_wf=$git_wf_found
elif ! [ -f "$git_wf" ] || ! [ -x "$git_wf" ]; then
	git_wf=
fi
case $0 in
*/*) git_wf_hooks=${0%/*} ;;
*) git_wf_hooks=. ;;
esac
git_wf_earlier=$git_wf_hooks/before-git-wf/@HOOK@
# Another program may have moved this shim aside and call it from there. If the hook is a shim again, that one does
# the work. If the hook is the earlier one, or both are of the same program, it is what called this shim, so do not
# call it again.
case $0 in
@HOOK@ | */@HOOK@) ;;
*)
	if PATH=$git_wf_path grep -qs '^# git-wf hook shim, version ' "$git_wf_hooks/@HOOK@"; then
		git_wf=true
		git_wf_earlier=/dev/null
	elif PATH=$git_wf_path cmp -s "$git_wf_hooks/@HOOK@" "$git_wf_earlier" ||
		PATH=$git_wf_path grep -qs 'hook-impl' "$git_wf_earlier"; then
		git_wf_earlier=/dev/null
	fi
	;;
esac
# An earlier hook that runs $0 again means itself.
if [ "${GIT_WF_EARLIER-}" = "$PPID" ] && [ -f "$git_wf_earlier" ]; then
	. "$git_wf_earlier"
	exit
fi
# Runs the earlier hook as git would: under its original name, since it may look for other files beside $0. A shell
# script is sourced by its own shell; anything else is started from where it is now.
git_wf_run_earlier() {
	git_wf_line=
	IFS= read -r git_wf_line <"$git_wf_earlier" || :
	git_wf_shell=
	case ${git_wf_line#'#!'} in
	"$git_wf_line") ;;
	*[!-A-Za-z0-9_./\ ]*) ;;
	*) git_wf_shell=${git_wf_line#'#!'} ;;
	esac
	case $git_wf_shell in
	*/sh | */dash | */'env sh' | */'env dash' | */sh\ -[a-z]* | */dash\ -[a-z]*) ;;
	*/bash | */'env bash' | */bash\ -[a-z]*)
		# A script that checks whether it is sourced must be started instead.
		if PATH=$git_wf_path grep -qs BASH_SOURCE "$git_wf_earlier"; then git_wf_shell=; fi ;;
	*) git_wf_shell= ;;
	esac
	if [ -z "$git_wf_shell" ]; then
		"$git_wf_earlier" "$@"
		return
	fi
	# Unquoted: an interpreter and at most one argument.
	$git_wf_shell -c 'GIT_WF_EARLIER=$$; export GIT_WF_EARLIER; git_wf_earlier=$1; shift; . "$git_wf_earlier"' \
		"$git_wf_hooks/@HOOK@" "$git_wf_earlier" "$@"
}
git_wf_has_earlier() { [ -f "$git_wf_earlier" ] && [ -x "$git_wf_earlier" ]; }
# Says where a hook that failed came from.
git_wf_blame() {
	printf '%s\n' "git-wf: $git_wf_earlier failed, a hook from before git-wf; \`git wf hooks discard @HOOK@\` removes it" >&2
}
git_wf_return() { return "$1"; }
