//! Detects a multi-pack-index that names a pack which no longer exists. git then searches the other packs for the
//! object; gix reports it as missing. A `git gc` that runs while another git process writes a multi-pack-index can
//! leave one behind.

use std::path::Path;

use gix_pack::multi_index::File;

/// The file's name, in the directory of packs.
pub(crate) const NAME: &str = "multi-pack-index";

/// Whether the directory of objects has such an index. An unreadable index does not count: gix ignores it too.
pub(crate) fn is_stale(objects: &Path) -> bool {
    let packs = objects.join("pack");
    let file = packs.join(NAME);
    // Most repositories have no such file, so this check is all that they pay.
    if !file.is_file() {
        return false;
    }
    File::at(&file, None).is_ok_and(|index| {
        index.index_names().iter().any(|name| !packs.join(name.with_extension("pack")).is_file())
    })
}

/// Checks a repository and those whose objects it borrows.
pub(crate) fn is_stale_in(repo: &gix::Repository) -> bool {
    let objects = super::discover::absolute(repo.objects.store_ref().path());
    // If the alternates cannot be read, reading the first object reports that. gix knows them too, but would open
    // every pack first.
    let borrowed = gix::odb::alternate::resolve(objects.clone(), Path::new("/")).unwrap_or_default();
    is_stale(&objects) || borrowed.iter().any(|objects| is_stale(objects))
}
