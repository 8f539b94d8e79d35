//! What someone probably meant who mistyped a name.

/// Longer words are not compared: nobody types them by hand, and the comparison is quadratic.
const LONGEST: usize = 100;

/// The name closest to `typed`, in any case, if it is close: one slip, and one more for every four characters if both begin
/// with the same one, which people seldom mistype.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    if !(2..=LONGEST).contains(&length) {
        return None;
    }
    let mut nearest: Option<(usize, &str)> = None;
    for name in known {
        let known = name.to_lowercase();
        let most = if known.chars().next() == typed.chars().next() { 1 + length / 4 } else { 1 };
        if known.chars().count().abs_diff(length) > most {
            continue;
        }
        let distance = strsim::osa_distance(&typed, &known);
        // A word of which nothing is left is another word.
        let is_close = distance <= most && distance < length;
        if is_close && nearest.is_none_or(|best| (distance, name) < best) {
            nearest = Some((distance, name));
        }
    }
    nearest.map(|(_, name)| name)
}

/// All names that are as close to `typed`, or that begin with it, closest first.
pub(crate) fn near<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let whole = typed.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter(|name| nearest(typed, [*name]).is_some() || name.to_lowercase().starts_with(&whole))
        .map(|name| (strsim::osa_distance(&whole, &name.to_lowercase()), name))
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_comes_first_and_what_is_far_is_left_out() {
        assert_eq!(near("instal", ["uninstall", "install"]), ["install"]);
        assert_eq!(near("list", ["lists", "listings", "lint"]), ["lint", "lists", "listings"]);
        assert_eq!(near("frobnicate", ["conflicts"]), [""; 0]);
        assert_eq!(near("nosuch", ["vouch", "search"]), [""; 0]);
        assert_eq!(near("ccnflitcs", ["conflicts"]), ["conflicts"]);
        assert_eq!(near("git", ["list", "edit", "init"]), [""; 0]);
    }

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let known = ["ISS-001", "ISS-014", "GH-7", "auth"];
        for (typed, meant) in [
            ("ISS-0144", Some("ISS-014")),
            ("iss001", Some("ISS-001")),
            ("ISS-01", Some("ISS-001")),
            ("GH-8", Some("GH-7")),
            ("atuh", Some("auth")),
            ("backend", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(1000), known), None);
    }
}
