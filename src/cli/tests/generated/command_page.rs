//! The sections of a manual page that describe one command.

use clap_mangen::Man;

use crate::cli::command::store::help::has_one_page;
use crate::cli::help_examples;

/// The columns of an example on a page whose text is indented.
const WIDTH: usize = 70;

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
pub(super) fn sections(command: &clap::Command, path: &str) -> String {
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
    let examples: Vec<String> =
        help_examples::for_command(path).iter().map(|example| help_examples::rows(example, WIDTH)).collect();
    if !examples.is_empty() {
        let examples = examples.join("\n").replace('\\', "\\e").replace('-', "\\-");
        kept.push_str(&format!(".SH EXAMPLES\n.nf\n{examples}\n.fi\n"));
    }
    kept
}

/// The section of a command on the page of the one above it, and those of the commands below it.
pub(super) fn below(command: &clap::Command, path: &str) -> String {
    let own = sections(command, path);
    let own = &own[own.find(".SH SYNOPSIS").unwrap()..];
    let own = own.replacen(".SH SYNOPSIS\n", "", 1).replacen(".SH DESCRIPTION\n", ".PP\n", 1);
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let inner: String = inner.map(|inner| below(inner, &format!("{path} {}", inner.get_name()))).collect();
    format!(".SH \"GIT WF {}\"\n{}{inner}", path.to_uppercase(), own.replace(".SH ", ".SS "))
}

/// The page with the options and arguments in its synopsis as the help shows them: clap_mangen leaves out the values of
/// options, which arguments can be repeated, and some options altogether.
fn with_arguments(command: &clap::Command, page: &str) -> String {
    let (before, rest) = page.split_once(".SH SYNOPSIS\n").unwrap();
    let (synopsis, after) = rest.split_once('\n').unwrap();
    let name = synopsis.split(" [").next().unwrap().split(" <").next().unwrap();
    let shown = shown(command);
    let options = shown.get_arguments().filter(|it| !it.is_positional() && !it.is_hide_set());
    let options: String = options.map(option).collect();
    let names: Vec<String> = command
        .get_positionals()
        .filter(|it| !it.is_hide_set())
        .map(|it| format!(" \\fI{}\\fR", it.to_string().replace('-', "\\-")))
        .collect();
    // A command with commands of its own has their placeholder, in brackets, last.
    let inner = synopsis.find("\\fIsubcommands").map_or("", |at| &synopsis[at - 2..]);
    format!("{before}.SH SYNOPSIS\n{name}{options}{}{inner}\n{after}", names.concat())
}

/// An option with its value, as in a synopsis.
fn option(arg: &clap::Arg) -> String {
    let short = arg.get_short().map(|short| format!("\\fB\\-{short}\\fR"));
    let long = arg.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", long.replace('-', "\\-")));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let mut written = names.join("|");
    if arg.get_action().takes_values() {
        let value =
            arg.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str());
        let value = format!("\\fI{}\\fR", value.replace('-', "\\-"));
        let is_optional = arg.get_num_args().is_some_and(|count| count.min_values() == 0);
        written.push_str(&if is_optional { format!(" [{value}]") } else { format!(" {value}") });
    }
    if arg.is_required_set() { format!(" {written}") } else { format!(" [{written}]") }
}

/// The guide that says more about a command.
pub(super) fn guide(path: &str) -> &'static str {
    match path.split(' ').next().unwrap_or_default() {
        "run" | "agents" | "mcp" | "prime" | "context" | "feedback" | "wisdom" => "gitwf\\-agents (7)",
        "queue" | "next" | "lease" | "retry" | "fail" => "gitwf\\-claims (7)",
        "hooks" | "link" => "gitwf\\-hooks (7)",
        "schema" | "fsck" | "redact" | "export" => "gitwf\\-format (5)",
        _ => "gitwf\\-concepts (7)",
    }
}
