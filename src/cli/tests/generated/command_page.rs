//! The sections of a manual page that describe one command.

use clap_mangen::Man;

use crate::cli::command::store::help::has_one_page;

/// The command as a page shows it: without the options of every command, which are on the program's page, and without
/// the examples, which have a section of their own.
pub(super) fn shown(command: &clap::Command) -> clap::Command {
    let is_everywhere =
        |arg: &clap::Arg| arg.is_global_set() || matches!(arg.get_id().as_str(), "help" | "version");
    let is_program = command.get_name() == "git-wf";
    let command = command.clone().after_help(clap::builder::Resettable::Reset);
    let command = command.after_long_help(clap::builder::Resettable::Reset);
    if is_program {
        return command;
    }
    command.mut_args(|arg| if is_everywhere(&arg) { arg.hide(true) } else { arg })
}

/// Name, synopsis, description, options and examples of a command.
pub(super) fn sections(command: &clap::Command) -> String {
    let mut text = Vec::new();
    Man::new(shown(command)).render(&mut text).unwrap();
    let page = with_arguments(command, std::str::from_utf8(&text).unwrap());
    let from = page.find(".SH NAME").unwrap();
    let mut kept = String::new();
    for section in page[from..].split(".SH ").skip(1) {
        let lists_pages = section.starts_with("SUBCOMMANDS")
            && has_one_page(command.get_display_name().unwrap_or_default());
        if !section.starts_with("VERSION") && !lists_pages {
            kept.push_str(".SH ");
            kept.push_str(section);
        }
    }
    let examples = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    if let Some(examples) = examples.strip_prefix("Examples:\n") {
        let examples = examples.replace('\\', "\\e").replace('-', "\\-").replace("\n  ", "\n");
        kept.push_str(&format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", examples.trim_start()));
    }
    kept
}

/// The section of a command on the page of the one above it, and those of the commands below it.
pub(super) fn below(command: &clap::Command, path: &str) -> String {
    let own = sections(command);
    let own = &own[own.find(".SH SYNOPSIS").unwrap()..];
    let own = own.replacen(".SH SYNOPSIS\n", "", 1).replacen(".SH DESCRIPTION\n", ".PP\n", 1);
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let inner: String = inner.map(|inner| below(inner, &format!("{path} {}", inner.get_name()))).collect();
    format!(".SH \"GIT WF {}\"\n{}{inner}", path.to_uppercase(), own.replace(".SH ", ".SS "))
}

/// The page with the arguments in its synopsis as the help shows them: clap_mangen leaves out which can be repeated.
fn with_arguments(command: &clap::Command, page: &str) -> String {
    let (before, rest) = page.split_once(".SH SYNOPSIS\n").unwrap();
    let (synopsis, after) = rest.split_once('\n').unwrap();
    let names: Vec<String> = command
        .get_positionals()
        .filter(|it| !it.is_hide_set())
        .map(|it| format!(" \\fI{}\\fR", it.to_string().replace('-', "\\-")))
        .collect();
    if names.is_empty() {
        return page.to_owned();
    }
    let first = [" <\\fI", " [\\fI"].into_iter().filter_map(|it| synopsis.find(it)).min();
    let options = &synopsis[..first.unwrap_or(synopsis.len())];
    // A command with commands of its own has their placeholder, in brackets, last.
    let inner = synopsis.find("\\fIsubcommands").map_or("", |at| &synopsis[at - 2..]);
    format!("{before}.SH SYNOPSIS\n{options}{}{inner}\n{after}", names.concat())
}
