//! A multi-pack-index that names a pack which is gone. git then looks for the object in other packs; gix reports it as
//! missing. A `git gc` that runs while another git writes a multi-pack-index can leave one behind.

use std::path::Path;

use gix_pack::multi_index::File;

/// The file itself, in the folder of packs.
pub(crate) const NAME: &str = "multi-pack-index";

/// Whether the folder of objects has such an index. One that cannot be read is passed over by gix too.
pub(crate) fn is_stale(objects: &Path) -> bool {
    let packs = objects.join("pack");
    let file = packs.join(NAME);
    // Most repositories have none, and looking for one is all that this costs them.
    if !file.is_file() {
        return false;
    }
    File::at(&file, None).is_ok_and(|index| {
        index.index_names().iter().any(|name| !packs.join(name.with_extension("pack")).is_file())
    })
}

/// The same of a repository, and of those whose objects it borrows.
pub(crate) fn is_stale_in(repo: &gix::Repository) -> bool {
    let objects = repo.objects.store_ref().path();
    // Where it cannot be told who lends, reading the first object says what is wrong. The store of objects knows it too, but
    // looks at each pack first.
    let here = std::env::current_dir().unwrap_or_default();
    let borrowed = gix::odb::alternate::resolve(objects.to_owned(), &here).unwrap_or_default();
    is_stale(objects) || borrowed.iter().any(|objects| is_stale(objects))
}
