//! `setup.cfg`: sections that begin with a name in brackets.

/// The starts of names of sections with settings of tests.
const OF_TESTS: &[&str] =
    &["tool:pytest", "pytest", "aliases", "coverage", "tox", "testenv", "nosetests", "unittest", "test"];

struct Section<'a> {
    is_of_tests: bool,
    text: &'a str,
}

/// The later version with the sections of the earlier one that are about tests, at its end.
pub(super) fn restored(old: &str, new: &str) -> String {
    let of_tests = |text| {
        sections(text)
            .into_iter()
            .filter(|section| section.is_of_tests)
            .map(|section| section.text.trim())
            .collect()
    };
    let (earlier, later): (Vec<&str>, Vec<&str>) = (of_tests(old), of_tests(new));
    if earlier == later {
        return new.to_owned();
    }
    let mut text: String = sections(new)
        .into_iter()
        .filter(|section| !section.is_of_tests)
        .map(|section| section.text)
        .collect();
    for section in earlier {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(section);
        text.push('\n');
    }
    text
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| {
            let text = &text[start..end];
            let name = text.strip_prefix('[').unwrap_or_default().trim_start();
            Section { is_of_tests: OF_TESTS.iter().any(|prefix| name.starts_with(prefix)), text }
        })
        .collect()
}
