use crate::cli::input::parse_criterion;
use crate::cli::input::text::MessageArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::model::{Op, RemedyCall};
use crate::ops::Refusal;
use crate::ops::work::{self, Accept};

/// Confirm a criterion that no test covers, with evidence
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The evidence; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// The task, such as T1, or the criterion as it is shown: T1.1
    task: String,
    /// The number of the criterion within the task, from 1; omit it after T1.1
    #[arg(value_name = "CRITERION")]
    criterion: Option<String>,
    /// The evidence: what shows that the criterion holds (`-` for stdin)
    text: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    /// The item (default: the one this worktree executes)
    #[arg(long, value_name = "ITEM")]
    item: Option<String>,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let NamedCriterion { task, criterion, text } =
        NamedCriterion::parse(args.task, args.criterion, args.text)?;
    let Some(evidence) = args.message.said(text.as_deref())? else {
        let accept = RemedyCall::new(Op::Accept, [task, criterion.to_string()]);
        return Err(Refusal::usage("a criterion needs evidence")
            .remedy(accept.option("message", "TEXT"), "says what shows that it holds")
            .into());
    };
    let session = context.session()?;
    let Args { item, force, .. } = args;
    let input = Accept { item, task, criterion, evidence, force: force.why() };
    let done = work::accept(&session, &input)?;
    context.answer(done, |accepted, _, screen| print::work::accepted(screen, accepted))
}

/// A criterion, and the evidence for it.
#[derive(Debug, PartialEq, Eq)]
struct NamedCriterion {
    task: String,
    criterion: u64,
    text: Option<String>,
}

impl NamedCriterion {
    /// Reads `T1 1 [TEXT]` or `T1.1 [TEXT]`.
    fn parse(task: String, second: Option<String>, third: Option<String>) -> Result<Self, Refusal> {
        let wrong = |words: String| {
            Refusal::usage(words).hint("`git wf accept --help` shows how a criterion is named")
        };
        if let Some(Ok(criterion)) = second.as_deref().map(parse_criterion) {
            return Ok(Self { task, criterion, text: third });
        }
        let whole = task
            .rsplit_once('.')
            .and_then(|(task, number)| Some((task.to_owned(), parse_criterion(number).ok()?)));
        match (whole, second, third) {
            (Some((task, criterion)), text, None) => Ok(Self { task, criterion, text }),
            (Some(_), Some(_), Some(more)) => {
                Err(wrong(format!("`{more}` is unexpected after the evidence")))
            }
            (None, Some(number), _) => Err(wrong(format!(
                "`{number}`: a criterion is a number, counted from 1, after its task: T1 1"
            ))),
            _ => Err(wrong(format!("`{task}` names no criterion"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[&str]) -> Option<(String, u64, Option<String>)> {
        let word = |n: usize| words.get(n).map(|word| (*word).to_owned());
        let named = NamedCriterion::parse(word(0).unwrap(), word(1), word(2)).ok()?;
        Some((named.task, named.criterion, named.text))
    }

    #[test]
    fn a_criterion_is_named_in_two_ways() {
        let text = || Some("seen".to_owned());
        for (words, wanted) in [
            (&["T1", "2"][..], Some(("T1", 2, None))),
            (&["T1", "2", "seen"], Some(("T1", 2, text()))),
            (&["T1.2"], Some(("T1", 2, None))),
            (&["T1.2", "seen"], Some(("T1", 2, text()))),
            (&["T1.2", "3"], Some(("T1.2", 3, None))),
            (&["T1"], None),
            (&["T1.0", "seen"], None),
            (&["T1", "seen"], None),
            (&["T1.2", "seen", "more"], None),
        ] {
            assert_eq!(named(words), wanted.map(|(task, n, text)| (task.to_owned(), n, text)), "{words:?}");
        }
    }
}
