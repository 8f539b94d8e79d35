# Most commits of a repository may belong to no plan, and starting git-wf takes half as long as such a commit. If git-wf
# found that with this store and on this branch (`wf/unbound`), and nothing here or in the message says otherwise, the
# shell decides alone. Whatever it cannot tell is left to git-wf.
git_wf_is_unbound() {
	git_wf_dir=${GIT_DIR:-.git}
	git_wf_known=$git_wf_dir/wf/unbound
	[ -f "$git_wf_known" ] && [ -f "$1" ] || return 1
	[ -z "${WF_ROLE-}${GIT_COMMON_DIR-}${GIT_CONFIG_PARAMETERS-}${GIT_CONFIG_COUNT-}" ] || return 1
	case $0 in
	*/@HOOK@) [ ! -e "${0%/*}/before-git-wf/@HOOK@" ] || return 1 ;;
	*) return 1 ;;
	esac
	# This worktree executes a plan, or git is in the middle of something that brings other commits.
	for git_wf_name in wf/active.json rebase-merge rebase-apply sequencer MERGE_HEAD MERGE_MSG SQUASH_MSG \
		CHERRY_PICK_HEAD REVERT_HEAD; do
		[ ! -e "$git_wf_dir/$git_wf_name" ] || return 1
	done
	git_wf_common=$git_wf_dir
	if [ -f "$git_wf_dir/commondir" ]; then
		IFS= read -r git_wf_common <"$git_wf_dir/commondir" || return 1
		case $git_wf_common in
		/*) ;;
		*) git_wf_common=$git_wf_dir/$git_wf_common ;;
		esac
	fi
	# A reset leaves ORIG_HEAD: the next commit may replace those that it took away. Another ref may be configured, for this
	# repository or for the user.
	for git_wf_name in "$git_wf_dir/ORIG_HEAD" "$git_wf_dir/config.worktree" "$git_wf_common/config" \
		"${GIT_CONFIG_GLOBAL:-${HOME-}/.gitconfig}" "${XDG_CONFIG_HOME:-${HOME-}/.config}/git/config" \
		"${GIT_CONFIG_SYSTEM:-/etc/gitconfig}"; do
		[ ! -e "$git_wf_name" ] || [ "$git_wf_known" -nt "$git_wf_name" ] || return 1
	done
	[ -f "$git_wf_common/refs/wf/main" ] && [ -r "/proc/$PPID/cmdline" ] || return 1
	{ read -r git_wf_tip && IFS= read -r git_wf_head; } <"$git_wf_known" || return 1
	read -r git_wf_line <"$git_wf_common/refs/wf/main" && [ "$git_wf_line" = "$git_wf_tip" ] || return 1
	IFS= read -r git_wf_line <"$git_wf_dir/HEAD" && [ "$git_wf_line" = "$git_wf_head" ] || return 1
	# The words that git was called with, without what separates them; a message among them may have several lines. An
	# amended commit may belong to a plan.
	git_wf_call=
	while IFS= read -r git_wf_line || [ -n "$git_wf_line" ]; do
		git_wf_call=$git_wf_call$git_wf_line
	done <"/proc/$PPID/cmdline"
	case $git_wf_call in
	*--am*) return 1 ;;
	gitcommit* | /usr/bin/gitcommit* | /usr/local/bin/gitcommit*) ;;
	*) return 1 ;;
	esac
	# Each id has a hyphen. Git names other commits in these sentences.
	while IFS= read -r git_wf_line || [ -n "$git_wf_line" ]; do
		case $git_wf_line in
		*-* | 'This reverts commit'* | '(cherry picked from commit'* | 'commit '* | 'fixup! '* | 'squash! '* | 'amend! '*)
			return 1
			;;
		esac
	done <"$1"
}
