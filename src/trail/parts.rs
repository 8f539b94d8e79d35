//! Recognizes a change that combines the changes of several commits without common files, as after `git cherry-pick
//! --no-commit A B` and `git revert --no-commit A B`.
//!
//! A stable patch id is the sum of one number for each file, so the id of the combined change is the sum of the ids
//! of its parts.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::PatchId;

/// A search makes at most this many steps, since someone is waiting.
const MOST_STEPS: usize = 1_000;

/// The files of each commit that may be a part of a change.
pub(super) struct FilesByCommit<'a> {
    files: BTreeSet<&'a str>,
    parts: Vec<BTreeSet<&'a str>>,
}

impl<'a> FilesByCommit<'a> {
    /// `files` are those of the change.
    pub(super) fn new(files: impl IntoIterator<Item = &'a str>) -> Self {
        Self { files: files.into_iter().collect(), parts: vec![] }
    }

    /// Adds a commit with these files. Returns whether it can be a part: it has some files of the change, and no
    /// others.
    pub(super) fn add(&mut self, files: impl IntoIterator<Item = &'a str>) -> bool {
        let files: BTreeSet<&str> = files.into_iter().collect();
        let fits = !files.is_empty() && files.len() < self.files.len() && files.is_subset(&self.files);
        if fits {
            self.parts.push(files);
        }
        fits
    }

    /// Whether the parts together have all of the files.
    pub(super) fn may_do(&self) -> bool {
        self.parts.len() > 1 && self.parts.iter().flatten().collect::<BTreeSet<_>>().len() == self.files.len()
    }

    /// The first combination of parts with this patch id; `ids` are those of the parts, in their order.
    pub(super) fn making(&self, whole: &PatchId, ids: &[Option<&PatchId>]) -> Option<Vec<usize>> {
        let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (n, files) in
            self.parts.iter().enumerate().filter(|(n, _)| ids.get(*n).is_some_and(Option::is_some))
        {
            files.iter().for_each(|file| by_file.entry(file).or_default().push(n));
        }
        let mut chosen = Vec::new();
        self.search(&mut chosen, &self.files, &by_file, &mut 0, &|chosen| {
            sum(chosen.iter().filter_map(|n| ids[*n])).as_ref() == Some(whole)
        })
        .then_some(chosen)
    }

    fn search(
        &self,
        chosen: &mut Vec<usize>,
        left: &BTreeSet<&str>,
        by_file: &BTreeMap<&str, Vec<usize>>,
        steps: &mut usize,
        is_it: &dyn Fn(&[usize]) -> bool,
    ) -> bool {
        *steps += 1;
        if *steps > MOST_STEPS {
            return false;
        }
        let Some(file) = left.first() else { return is_it(chosen) };
        for n in by_file.get(file).into_iter().flatten() {
            if !self.parts[*n].is_subset(left) {
                continue;
            }
            let rest: BTreeSet<&str> = left.difference(&self.parts[*n]).copied().collect();
            chosen.push(*n);
            if self.search(chosen, &rest, by_file, steps, is_it) {
                return true;
            }
            chosen.pop();
        }
        false
    }
}

/// Adds ids as git adds the numbers of files: byte by byte, the first byte being the least significant.
pub(super) fn sum<'a>(ids: impl IntoIterator<Item = &'a PatchId>) -> Option<PatchId> {
    let mut all: Vec<u8> = Vec::new();
    for id in ids {
        let bytes = crate::git::ObjectId::from_hex(id.as_str().as_bytes()).ok()?;
        all.resize(bytes.as_slice().len().max(all.len()), 0);
        let mut carry = 0;
        for (sum, byte) in all.iter_mut().zip(bytes.as_slice()) {
            carry += u16::from(*sum) + u16::from(*byte);
            *sum = u8::try_from(carry & 0xff).unwrap_or_default();
            carry >>= 8;
        }
    }
    PatchId::parse(&crate::git::ObjectId::try_from(&all[..]).ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(begin: &str) -> PatchId {
        PatchId::parse(&format!("{begin:0<40}")).unwrap()
    }

    #[test]
    fn the_sum_goes_from_the_first_byte_to_the_last() {
        assert_eq!(sum([&id("ff"), &id("02")]), Some(id("0101")));
        assert_eq!(sum([&id("01"), &id("0002")]), Some(id("0102")));
        assert_eq!(sum([]), None);
    }

    #[test]
    fn each_file_is_of_one_part() {
        let mut parts = FilesByCommit::new(["a", "b", "c"]);
        assert!(!parts.add(["a", "b", "c"]) && !parts.add(["a", "d"]) && !parts.add([]));
        assert!(parts.add(["a", "b"]) && !parts.may_do());
        assert!(parts.add(["b", "c"]) && parts.may_do());
        let (one, two, three) = (id("01"), id("02"), id("04"));
        let ids = [Some(&one), Some(&two)];
        assert_eq!(parts.making(&id("03"), &ids), None, "both have `b`");
        assert!(parts.add(["c"]));
        let ids = [Some(&one), Some(&two), Some(&three)];
        assert_eq!(parts.making(&id("05"), &ids), Some(vec![0, 2]));
        assert_eq!(parts.making(&id("06"), &ids), None);
        assert_eq!(parts.making(&id("05"), &[Some(&one), Some(&two), None]), None);
    }

    #[test]
    fn a_search_ends() {
        let names: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        let mut parts = FilesByCommit::new(names.iter().map(String::as_str));
        for name in &names {
            for _ in 0..3 {
                parts.add([name.as_str()]);
            }
        }
        let one = id("01");
        assert_eq!(parts.making(&id("ff"), &vec![Some(&one); 120]), None);
    }
}
