//! A graph drawn as lanes beside lines of text, as `git log --graph` draws history.

/// The characters of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strokes {
    /// Box drawing.
    Unicode,
    /// For terminals without UTF-8.
    Ascii,
}

impl Strokes {
    /// According to `LC_ALL`, `LC_CTYPE` or `LANG`.
    pub(crate) fn from_env() -> Self {
        if super::UiSettings::get().is_plain {
            return Self::Ascii;
        }
        let first = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        let locale = first.unwrap_or_default().to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { Self::Unicode } else { Self::Ascii }
    }

    fn joint(self, up: bool, down: bool, left: bool, right: bool) -> char {
        if self == Self::Ascii {
            return match (up || down, left || right) {
                (true, true) => '+',
                (true, false) => '|',
                (false, true) => '-',
                (false, false) => ' ',
            };
        }
        match (up, down, left, right) {
            (true, true, true, true) => '┼',
            (true, true, true, false) => '┤',
            (true, true, false, true) => '├',
            (true, true, false, false) | (true, false, false, false) | (false, true, false, false) => '│',
            (true, false, true, true) => '┴',
            (true, false, true, false) => '╯',
            (true, false, false, true) => '╰',
            (false, true, true, true) => '┬',
            (false, true, true, false) => '╮',
            (false, true, false, true) => '╭',
            (false, false, true, _) | (false, false, false, true) => '─',
            (false, false, false, false) => ' ',
        }
    }
}

/// What is drawn beside the text of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrawnNode {
    /// The line above the node, if lanes join or split there.
    pub(crate) link: Option<String>,
    /// The lanes to the left of the node's mark.
    pub(crate) left: String,
    /// The lanes to the right of the mark.
    pub(crate) right: String,
    /// The lanes beside further lines of the node's text.
    pub(crate) below: String,
}

/// Draws nodes from top to bottom; `before` lists, for each node, the nodes above it that it is linked to. Links to
/// itself or to nodes further down are left out.
pub(crate) fn draw(before: &[Vec<usize>], strokes: Strokes) -> Vec<DrawnNode> {
    let mut open = vec![0usize; before.len()];
    for node in 0..before.len() {
        above(before, node).iter().for_each(|above| open[*above] += 1);
    }
    let mut lanes: Vec<Option<usize>> = Vec::new();
    let mut drawn = Vec::with_capacity(before.len());
    for node in 0..before.len() {
        let above = above(before, node);
        above.iter().for_each(|above| open[*above] -= 1);
        let is_parent = |lane: &Option<usize>| lane.is_some_and(|lane| above.binary_search(&lane).is_ok());
        let ends = |lane: &Option<usize>| is_parent(lane) && lane.is_some_and(|lane| open[lane] == 0);
        let parents: Vec<usize> = (0..lanes.len()).filter(|n| is_parent(&lanes[*n])).collect();
        let place = parents.iter().copied().find(|n| ends(&lanes[*n]));
        let place = place.or_else(|| lanes.iter().position(Option::is_none)).unwrap_or(lanes.len());
        if place == lanes.len() {
            lanes.push(None);
        }
        let is_straight = parents.is_empty() || (parents == [place] && ends(&lanes[place]));
        let link = (!is_straight).then(|| link(&lanes, &parents, place, &ends, strokes));
        for lane in &mut lanes {
            if ends(lane) {
                *lane = None;
            }
        }
        let lane = |n: usize| if lanes[n].is_some() { strokes.joint(true, true, false, false) } else { ' ' };
        let left = (0..place).flat_map(|n| [lane(n), ' ']).collect();
        let right: String = (place + 1..lanes.len()).flat_map(|n| [' ', lane(n)]).collect();
        lanes[place] = (open[node] > 0).then_some(node);
        while lanes.last().is_some_and(Option::is_none) {
            lanes.pop();
        }
        let below: String = lanes
            .iter()
            .flat_map(|lane| [strokes.joint(lane.is_some(), lane.is_some(), false, false), ' '])
            .collect();
        let (right, below) = (right.trim_end().to_owned(), below.trim_end().to_owned());
        drawn.push(DrawnNode { link, left, right, below });
    }
    drawn
}

/// The nodes above a node that it is linked to, from top to bottom.
fn above(before: &[Vec<usize>], node: usize) -> Vec<usize> {
    let mut all: Vec<usize> = before[node].iter().copied().filter(|other| *other < node).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn link(
    lanes: &[Option<usize>],
    parents: &[usize],
    place: usize,
    ends: &dyn Fn(&Option<usize>) -> bool,
    strokes: Strokes,
) -> String {
    let first = parents.iter().copied().fold(place, usize::min);
    let last = parents.iter().copied().fold(place, usize::max);
    let mut line = String::new();
    for (n, lane) in lanes.iter().enumerate() {
        let up = lane.is_some();
        let down = n == place || (up && !ends(lane));
        let joins = n == place || parents.contains(&n);
        let is_within = (first..=last).contains(&n);
        line.push(if joins {
            strokes.joint(up, down, n > first, n < last)
        } else if up {
            // A lane that does not join passes straight through.
            strokes.joint(true, true, false, false)
        } else {
            strokes.joint(false, false, is_within, is_within)
        });
        let is_line = n >= first && n < last;
        line.push(strokes.joint(false, false, is_line, is_line));
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn picture(before: &[Vec<usize>], strokes: Strokes) -> String {
        let mut lines = Vec::new();
        for (n, drawn) in draw(before, strokes).into_iter().enumerate() {
            lines.extend(drawn.link);
            lines.push(format!("{}{n}{}", drawn.left, drawn.right));
        }
        lines.join("\n")
    }

    #[test]
    fn what_follows_alone_stands_straight_below() {
        assert_eq!(picture(&[vec![], vec![0], vec![], vec![1]], Strokes::Unicode), "0\n1\n│ 2\n3");
    }

    #[test]
    fn a_diamond_parts_and_meets() {
        let diamond = [vec![], vec![0], vec![0], vec![1, 2]];
        assert_eq!(picture(&diamond, Strokes::Unicode), "0\n├─╮\n│ 1\n2 │\n├─╯\n3");
        assert_eq!(picture(&diamond, Strokes::Ascii), "0\n+-+\n| 1\n2 |\n+-+\n3");
    }

    #[test]
    fn a_lane_that_has_no_part_passes_behind() {
        let before = [vec![], vec![], vec![], vec![0, 2], vec![1]];
        assert_eq!(picture(&before, Strokes::Unicode), "0\n│ 1\n│ │ 2\n├─│─╯\n3 │\n  4");
    }

    #[test]
    fn links_to_what_stands_below_are_left_out() {
        assert_eq!(picture(&[vec![0, 1], vec![]], Strokes::Unicode), "0\n1");
    }

    proptest! {
        #[test]
        fn every_node_has_a_line_and_no_lane_is_left_open(
            pairs in prop::collection::vec((0usize..12, 0usize..12), 0..30),
        ) {
            let mut before = vec![Vec::new(); 12];
            for (node, above) in pairs {
                before[node].push(above);
            }
            // A node that is linked to every other one closes every lane.
            before.push((0..12).collect());
            let drawn = draw(&before, Strokes::Unicode);
            prop_assert_eq!(drawn.len(), 13);
            prop_assert_eq!((drawn[12].left.trim(), drawn[12].right.trim()), ("", ""));
        }
    }
}
