//! A dependency graph: a box for each node, and an arrow from each node to those that depend on it.

use std::fmt::Write;

use super::escaped;
use super::layers::{Knot, Layers};
use crate::ui::truncate;

const WIDE: usize = 190;
const HIGH: usize = 42;
/// The distance between two layers.
const ACROSS: usize = 250;
const DOWN: usize = 54;
/// The height of a bend, less than that of a box.
const BEND: usize = 16;
const MARGIN: usize = 8;
/// Nodes without arrows are placed below the others, at least this many in a row.
const LEAST_COLUMNS: usize = 3;
/// The columns of text that fit into a box.
const FITS: usize = 25;

/// A node of the graph.
#[derive(Debug, Clone)]
pub(crate) struct Boxed {
    /// The first line.
    pub(crate) name: String,
    /// The second line, cut to fit.
    pub(crate) title: String,
    /// The CSS class, which is also the word for the state.
    pub(crate) class: &'static str,
    /// The address to link to, if there is one.
    pub(crate) href: Option<String>,
}

/// An arrow of the graph.
#[derive(Debug, Clone)]
pub(crate) struct Arrow {
    /// The index of the node that comes first.
    pub(crate) from: usize,
    /// The index of the node that depends on it.
    pub(crate) to: usize,
    /// The CSS class, such as `conflict`.
    pub(crate) class: &'static str,
}

/// Draws the graph; `name` describes it to screen readers.
pub(crate) fn dag(name: &str, nodes: &[Boxed], arrows: &[Arrow]) -> String {
    let ends: Vec<(usize, usize)> = arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
    let Layers { layers, alone } = Layers::lay_out(nodes.len(), &ends);
    let mut corners: Vec<(usize, usize)> = vec![(0, 0); nodes.len()];
    let mut bends: Vec<Vec<(usize, usize)>> = vec![Vec::new(); arrows.len()];
    let tallest = layers.iter().map(|layer| height(layer)).max().unwrap_or(0);
    for (n, layer) in layers.iter().enumerate() {
        // Each layer is centred vertically, which keeps arrows short.
        let (x, mut y) = (MARGIN + n * ACROSS, MARGIN + (tallest - height(layer)) / 2);
        for knot in layer {
            match knot {
                Knot::Node(node) => {
                    corners[*node] = (x, y);
                    y += DOWN;
                }
                Knot::Bend(arrow) => {
                    bends[*arrow].push((x, y + BEND / 2));
                    y += BEND;
                }
            }
        }
    }
    let columns = layers.len().max(LEAST_COLUMNS);
    for (n, node) in alone.iter().enumerate() {
        corners[*node] = (MARGIN + n % columns * ACROSS, MARGIN + tallest + n / columns * DOWN);
    }
    let used = layers.len().max(alone.len().min(columns));
    let wide = 2 * MARGIN + used.saturating_sub(1) * ACROSS + WIDE;
    let high = 2 * MARGIN + tallest + alone.len().div_ceil(columns) * DOWN;
    let tip = tip(name);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dag\" role=\"group\" aria-label=\"{}\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\">",
        escaped(name)
    );
    let _ = writeln!(
        out,
        "<defs><marker id=\"{tip}\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\"><path class=\"tip\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>"
    );
    for (n, arrow) in arrows.iter().enumerate() {
        curve(&mut out, corners[arrow.from], &bends[n], corners[arrow.to], arrow.class, &tip);
    }
    for (node, (x, y)) in nodes.iter().zip(corners) {
        boxed(&mut out, node, x, y);
    }
    out + "</svg>\n"
}

fn height(layer: &[Knot]) -> usize {
    layer.iter().map(|knot| if matches!(knot, Knot::Node(_)) { DOWN } else { BEND }).sum()
}

/// The id of the arrowheads of a picture with this name; a page can have several pictures.
fn tip(name: &str) -> String {
    format!(
        "tip-{}",
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect::<String>()
    )
}

/// Draws a curve from the right side of one box, through the bends, to the left side of another.
fn curve(
    out: &mut String,
    from: (usize, usize),
    bends: &[(usize, usize)],
    to: (usize, usize),
    class: &str,
    tip: &str,
) {
    let (mut x, y) = (from.0 + WIDE, from.1 + HIGH / 2);
    let _ = write!(out, "<path class=\"arrow {class}\" marker-end=\"url(#{tip})\" d=\"M{x},{y}");
    let mut before = y;
    for (to_x, to_y) in bends.iter().copied().chain([(to.0, to.1 + HIGH / 2)]) {
        // An arrow that closes a cycle goes back; its handles are as long as if it went forward.
        let reach = to_x.abs_diff(x) / 2;
        let _ = write!(out, " C{},{before} {},{to_y} {to_x},{to_y}", x + reach, to_x.saturating_sub(reach));
        // The curve is straight where it passes a layer of boxes.
        if (to_x, to_y) != (to.0, to.1 + HIGH / 2) {
            let _ = write!(out, " L{},{to_y}", to_x + WIDE);
            x = to_x + WIDE;
        }
        before = to_y;
    }
    let _ = writeln!(out, "\"/>");
}

fn boxed(out: &mut String, node: &Boxed, x: usize, y: usize) {
    let (name, title) = (escaped(&truncate(&node.name, FITS)), escaped(&truncate(&node.title, FITS)));
    let whole = escaped(&format!("{} {} ({})", node.name, node.title, node.class));
    if let Some(href) = &node.href {
        let _ = write!(out, "<a href=\"{}\">", escaped(href));
    }
    let _ = write!(
        out,
        "<g class=\"node\"><title>{whole}</title><rect class=\"s-{}\" x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{HIGH}\" rx=\"5\"/>",
        node.class
    );
    let _ = write!(out, "<text class=\"name\" x=\"{}\" y=\"{}\">{name}</text>", x + 9, y + 17);
    let _ = write!(out, "<text x=\"{}\" y=\"{}\">{title}</text></g>", x + 9, y + 33);
    let _ = writeln!(out, "{}", if node.href.is_some() { "</a>" } else { "" });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, title: &str) -> Boxed {
        Boxed { name: name.into(), title: title.into(), class: "ready", href: Some(format!("/x/{name}")) }
    }

    #[test]
    fn titles_are_cut_and_never_markup() {
        let long = format!("\"><script>alert(1)</script>{}", "x".repeat(100));
        let arrows = [Arrow { from: 0, to: 1, class: "depends_on" }];
        let drawn = dag("items", &[node("S-1", &long), node("S-2", "b")], &arrows);
        assert!(!drawn.contains("<script"), "{drawn}");
        assert_eq!(drawn.matches("marker-end").count(), 1);
        assert!(
            drawn.contains("<a href=\"/x/S-2\"><g class=\"node\"><title>S-2 b (ready)</title>"),
            "{drawn}"
        );
    }

    #[test]
    fn boxes_do_not_overlap() {
        let nodes: Vec<Boxed> = (0..200).map(|n| node(&format!("S-{n}"), "x")).collect();
        let arrows: Vec<Arrow> =
            (0..150).map(|n| Arrow { from: n, to: (n * 7 + 13) % 190, class: "file" }).collect();
        let drawn = dag("items", &nodes, &arrows);
        let mut seen = std::collections::BTreeSet::new();
        for part in drawn.split("<rect ").skip(1) {
            let of = |name: &str| -> usize {
                let rest = part.split_once(&format!(" {name}=\"")).unwrap().1;
                rest.split_once('"').unwrap().0.parse().unwrap()
            };
            assert!(seen.insert((of("x"), of("y"))), "two boxes at {}, {}", of("x"), of("y"));
            assert!(of("height") == HIGH && of("width") == WIDE);
        }
        assert_eq!(seen.len(), 200);
        let places: Vec<_> = seen.iter().collect();
        assert!(
            places.windows(2).all(|window| window[0].0 != window[1].0 || window[1].1 - window[0].1 >= HIGH)
        );
    }
}
