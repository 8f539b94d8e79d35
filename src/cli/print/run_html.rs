//! The report of a run as one self-contained HTML page, with pictures of the dependencies and of the times.

use std::io::{self, Write};

use crate::page::html::{OnItsOwn, blocks, fields, line};
use crate::page::run_report;
use crate::rules::RunReport;
use crate::ui::Screen;
use crate::ui::svg::escaped;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}\
th{background:#f3f3f3}svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif}.s-pass,.s-completed{color:#176117}\
.s-review{color:#8a5a00}.s-fail,.s-failed,.bad{color:#a11}code{background:#f3f3f3}.facts div{display:grid;grid-template-columns:8rem 1fr}dd{margin:0}svg rect{fill:#e8e8e8;stroke:#888}svg .name{font-weight:bold}\
.arrow{fill:none;stroke:#555}.tip{fill:#555}.tick{stroke:#ddd;fill:#777}text.tick{stroke:none}svg .s-planning{fill:#cfe2ff}svg .s-planned{fill:#e6e0ff}\
svg .s-executing{fill:#fff0b3}svg .s-completed{fill:#c8ecc8}svg .s-failed{fill:#f7c6c6}";

/// The report as an HTML page.
pub(in crate::cli) fn html(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    let page = run_report::page(report);
    let title = escaped(report.run_id.as_str());
    writeln!(screen, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(screen, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(screen, "<title>Run {title}</title>\n<style>{STYLE}</style>\n</head>\n<body>")?;
    writeln!(screen, "<h1>{}</h1>", line(&OnItsOwn, &page.title))?;
    write!(screen, "{}{}", fields(&OnItsOwn, &page.facts), blocks(&OnItsOwn, &page.blocks))?;
    writeln!(screen, "</body>\n</html>")
}
