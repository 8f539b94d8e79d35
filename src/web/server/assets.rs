//! The static files of pages, built into the program.

use sha2::{Digest, Sha256};

/// A static file.
#[derive(Debug)]
pub(in crate::web) struct Asset {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) content: &'static str,
}

/// The style sheet.
pub(in crate::web) const STYLE: &Asset =
    &Asset { name: "style.css", kind: "text/css; charset=utf-8", content: include_str!("../style.css") };
/// Live updates, and dragging.
pub(in crate::web) const SCRIPT: &Asset = &Asset {
    name: "script.js",
    kind: "text/javascript; charset=utf-8",
    content: include_str!("../script.js"),
};
/// The search of an export.
pub(in crate::web) const SEARCH: &Asset = &Asset {
    name: "search.js",
    kind: "text/javascript; charset=utf-8",
    content: include_str!("../search.js"),
};
/// The icon of the browser tab.
pub(in crate::web) const ICON: &Asset =
    &Asset { name: "icon.svg", kind: "image/svg+xml", content: include_str!("../icon.svg") };

impl Asset {
    /// The address, which has a hash of the content, so that browsers can cache the file for ever.
    pub(in crate::web) fn address(&self) -> String {
        let hash = Sha256::digest(self.content);
        let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("/-/{hash}/{}", self.name)
    }

    /// The asset at an address.
    pub(super) fn at(path: &str) -> Option<&'static Self> {
        [STYLE, SCRIPT, ICON].into_iter().find(|asset| asset.address() == path)
    }
}
