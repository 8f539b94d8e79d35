use crate::cli::{
    CliContext, Exit, Outcome, acting, acting_as, current_dir, environment, is_in_run, print, variable,
};
use crate::mcp::{self, McpSettings};
use crate::model::Code;
use crate::ops::Refusal;
use crate::rules::roles;

/// Serve agents over the Model Context Protocol, on stdin and stdout
///
/// Agents start this themselves, once `git wf agents setup` has entered it in their configuration. They get tools to find
/// and write issues, submit and review plans, claim and finish work, and trace code, with resources and prompts. --role
/// and WF_ROLE decide which tools are offered. No tool overrides a gate, hides values, or changes the policy.
///
/// A call acts in the directory that it names, else in the client's only root, else in the current directory.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The role of the agent (default: WF_ROLE)
    #[arg(long, value_parser = parse_role)]
    role: Option<String>,
    /// Offer only tools that change nothing
    #[arg(long)]
    read_only: bool,
}

pub(super) fn parse_role(text: &str) -> Result<String, String> {
    match roles::acting(Some(text)) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(format!("expected one of {}", roles::names().collect::<Vec<_>>().join(", "))),
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    if context.json() {
        return Err(Refusal::usage("`mcp` speaks a protocol, so it has no --json")
            .hint("leave --json out")
            .into());
    }
    let environment = environment();
    if let Some(name) =
        ["GIT_DIR", "GIT_WORK_TREE"].into_iter().find(|name| environment.filled(name).is_some())
    {
        let message = format!("{name} is set, but each call names its own directory");
        return Err(Refusal::new(Code::GitDirSet, message)
            .command(format!("env -u {name} git wf mcp"), "starts the server without it")
            .into());
    }
    let is_in_run = is_in_run();
    let named = variable("WF_ROLE").filter(|role| !role.trim().is_empty());
    // An agent of a run keeps its role.
    let role = if is_in_run { named } else { args.role.or(named) };
    // An unknown role may do nothing, so say so before any call fails.
    if !is_in_run {
        roles::acting(role.as_deref())?;
    }
    let folder = current_dir()?;
    let acting = if is_in_run { acting() } else { acting_as(role.clone()) };
    let settings = McpSettings {
        folder,
        environment,
        acting,
        role,
        is_in_run,
        is_read_only: args.read_only,
        spell: print::remedy::command,
    };
    mcp::serve(settings)
        .map_err(|error| Refusal::new(Code::Protocol, format!("the server stopped: {error}"))
.hint("it speaks the Model Context Protocol on stdin and stdout; `git wf agents setup` adds it to the settings of an agent"))?;
    Ok(Exit::Done)
}
