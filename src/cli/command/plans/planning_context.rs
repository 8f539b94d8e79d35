use crate::cli::{CliContext, Outcome, print};
use crate::ops::plans::{self, CONTEXT_ROLES};
use crate::rules::Role;

/// Print the context for an agent: an issue's for its planner, a plan's for its executor
///
/// The context holds what matters for the next attempt: the issue, earlier attempts and how they ended, feedback,
/// comments and reviews, each list newest first. A list has at most 20 entries; texts of the issue are cut after
/// 16,000 characters, other texts after 4,000. For whatever is left out, the context has the command that shows it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An issue, for its planner; or a plan, item or execution, for its executor
    id: String,
    /// The role whose context to print: explorer or planner for an issue, executor or reviewer for a plan
    #[arg(long = "for", value_name = "ROLE", value_parser = parse_context_role)]
    role: Option<Role>,
}

fn parse_context_role(text: &str) -> Result<Role, String> {
    let role = Role::named(text).filter(|role| CONTEXT_ROLES.contains(role));
    role.ok_or_else(|| format!("expected one of {}", CONTEXT_ROLES.map(Role::as_str).join(", ")))
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let done = plans::context(&*context.session()?, &args.id, args.role)?;
    context.answer(done, |given, _, screen| print::context::context(screen, given))
}
