use std::ops::RangeInclusive;
use std::path::Path;

use crate::cli::{Context, Failure, Outcome, print};
use crate::model::code::Code;
use crate::ops::trail::{self, AskedLines};

/// Show the commit, task, plan and issue behind lines of a file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file, a line of it, or a range of lines
    #[arg(value_name = "FILE[:LINE[,LINE]]")]
    place: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let (file, lines) = parse(&args.place)?;
    let here = std::env::current_dir().map_err(|error| {
        Failure::new(Code::NoDirectory, format!("cannot find the current directory: {error}"))
            .hint("change to a directory that exists")
    })?;
    let done = trail::why(&session, &AskedLines { here, file, lines })?;
    context.answer(done, |why, _, screen| print::why::why(screen, why))
}

/// Separates the line numbers from the file name. If a file with the whole text as its name exists, that file is
/// meant.
fn parse(place: &str) -> Result<(String, Option<RangeInclusive<u64>>), Failure> {
    let wrong = |what: &str| {
        Failure::usage(format!("`{place}` {what}"))
            .hint("FILE, FILE:LINE or FILE:FIRST,LAST; lines count from 1")
    };
    let Some((file, tail)) = place.rsplit_once(':').filter(|_| !Path::new(place).exists()) else {
        return Ok((place.to_owned(), None));
    };
    let looks_like_lines = tail.starts_with(|c: char| c.is_ascii_digit());
    if !looks_like_lines {
        return Ok((place.to_owned(), None));
    }
    let number = |text: &str| text.parse::<u64>().ok().filter(|n| *n > 0);
    let (first, last) = match tail.split_once([',', '-']) {
        Some((first, last)) => (number(first), number(last)),
        None => (number(tail), number(tail)),
    };
    let (Some(first), Some(last)) = (first, last) else { return Err(wrong("names no line")) };
    if first > last {
        return Err(wrong("ends before it begins"));
    }
    // Compilers print FILE:LINE:COLUMN.
    match file.rsplit_once(':').filter(|_| first == last && !Path::new(file).exists()) {
        Some((name, line)) if number(line).is_some() => {
            let line = number(line).unwrap_or(1);
            Ok((name.to_owned(), Some(line..=line)))
        }
        _ => Ok((file.to_owned(), Some(first..=last))),
    }
}
