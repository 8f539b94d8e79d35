//! Templates for issues in the work tree: those of the team, and those that GitHub uses, Markdown and forms.

use std::path::Path;

use crate::interchange::issue_form::form;
use crate::model::{Code, Op, RemedyCall, nearest};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::IssueTemplate;
use crate::rules::issue_text::template;

/// Where templates are; an earlier one beats a later one of the same name.
const PLACES: [&str; 2] = [".wf/templates", ".github/ISSUE_TEMPLATE"];
/// The file in which GitHub keeps links to other places; it is not a form.
const CONFIG: [&str; 2] = ["config.yml", "config.yaml"];
/// A longer file is not a template.
const LONGEST: u64 = 64 * 1024;

/// All templates, each with the name of its file, by place and name. One that cannot be read is left out, with a
/// notice. A bare repository has none.
pub(crate) fn templates(session: &Session) -> Vec<(String, IssueTemplate)> {
    let Some(root) = session.store().work_dir() else { return vec![] };
    let mut all: Vec<(String, IssueTemplate)> = Vec::new();
    for place in PLACES {
        // Never what a link leads to: it could be outside of the repository.
        if Path::new(place).ancestors().any(|part| root.join(part).is_symlink() && part != Path::new("")) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(root.join(place)) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let Some(read) = reader(file) else { continue };
            let is_fit = path.symlink_metadata().is_ok_and(|about| about.is_file() && about.len() <= LONGEST);
            let text = if is_fit {
                std::fs::read_to_string(&path).map_err(|error| error.to_string())
            } else {
                continue;
            };
            match text.and_then(|text| read(file, &text)) {
                Ok(template) if all.iter().all(|(known, _)| stem(known) != stem(file)) => {
                    all.push((file.to_owned(), template));
                }
                Ok(_) => {}
                Err(why) => {
                    session.notice(Notice::warning(format!("`{place}/{file}` is not a template: {why}")));
                }
            }
        }
    }
    all
}

/// Reads a file with this name and text.
type Reader = fn(&str, &str) -> Result<IssueTemplate, String>;

/// How to read a file of this name; `None` if it is not a template.
fn reader(file: &str) -> Option<Reader> {
    match file.rsplit_once('.')?.1 {
        "md" => Some(|file, text| template(file, text).map_err(|fault| fault.to_string())),
        "yml" | "yaml" if !CONFIG.contains(&file) => Some(form),
        _ => None,
    }
}

/// The name of a template without its ending.
pub(crate) fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The one of these templates with this name, or whose file has it.
///
/// # Errors
/// `not-found`.
pub(crate) fn template_named(all: &[(String, IssueTemplate)], name: &str) -> Result<IssueTemplate, Refusal> {
    let found = all.iter().find(|(file, template)| {
        template.name.eq_ignore_ascii_case(name) || file == name || stem(file) == name
    });
    if let Some((_, found)) = found {
        return Ok(found.clone());
    }
    let names: Vec<&str> = all.iter().map(|(file, _)| stem(file)).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => format!("put one into {}", PLACES.join(" or ")),
        None => format!("the templates are {}", names.join(", ")),
    };
    Err(Refusal::new(Code::NotFound, format!("there is no template `{name}`"))
        .hint(hint)
        .remedy(RemedyCall::from(Op::New).flag("edit"), "starts without one"))
}
