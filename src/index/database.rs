//! The database itself: opening and creating one, and what it stores about itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::error::IndexError;
use crate::git::ObjectId;
use crate::store::object_id;

/// "wfix": distinguishes this file from other databases.
const APPLICATION: i32 = 0x7766_6978;
/// Raised with every change of the tables, of what is derived into them, and of the rules whose results are kept.
const VERSION: i32 = 32;
/// More statements than one issue needs, so that none is prepared again for each issue.
const STATEMENTS: usize = 64;
/// Bytes of full text that are buffered before they are written: each portion is later merged with others, so a few
/// large ones take less time in all. The smaller value is the default of FTS5.
const LARGE_PORTION: i64 = 16 * 1024 * 1024;
const SMALL_PORTION: i64 = 1024 * 1024;

/// Bytes of the write-ahead log that are left in it.
const SHORT_LOG: u64 = 512 * 1024;

/// A part of the index. Each part follows the ref separately, so that a query waits only for what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexPart {
    /// Issues, ids and links.
    Rows,
    /// Full text.
    Words,
    /// The commits of the ref.
    Log,
}

/// How far the words are on the way from one state to another; meanwhile, they reflect neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordsBegun {
    /// The commit of the state that they reflected; `None` if they were empty.
    pub(super) from: Option<ObjectId>,
    /// The commit of the state to reach.
    pub(super) to: ObjectId,
    /// How many of the changed issues are done, in their order.
    pub(super) done: usize,
}

/// The key of [`WordsBegun`]: the two commits and the number, `-` for none.
const WORDS_BEGUN: &str = "words begun";

impl IndexPart {
    fn key(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Words => "words",
            Self::Log => "log",
        }
    }
}

/// Opens the database at `path`. Fails if it is not an index of this version, or if another process takes longer than
/// `patience` to update it.
pub(super) fn open(path: &Path, patience: Duration) -> Result<Connection, IndexError> {
    let db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    db.busy_timeout(patience)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise most statements are prepared a second time, with their values, which changes no plan here.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    add_functions(&db)?;
    keep_short_log(&db, path)?;
    // A power cut leaves an older state or the newest, never a torn one: only checkpoints wait for the disk.
    db.execute_batch("PRAGMA synchronous = NORMAL;")?;
    limit_memory(&db, 4)?;
    if !is_ours(&db, "application_id", APPLICATION)?
        || !is_ours(&db, "user_version", VERSION)?
        || meta(&db, "program")?.as_deref() != Some(env!("CARGO_PKG_VERSION"))
    {
        return Err(IndexError::File(std::io::Error::other("it has another version")));
    }
    Ok(db)
}

fn is_ours(db: &Connection, pragma: &str, value: i32) -> rusqlite::Result<bool> {
    Ok(db.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0))? == value)
}

/// The write-ahead log beside a database.
fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Keeps a short write-ahead log when the last connection is closed. Otherwise each query would create two files and
/// remove them again, and each small change would wait for the disk. A long log is moved into the database, since
/// everyone who opens the database must read it.
pub(super) fn keep_short_log(db: &Connection, path: &Path) -> Result<(), IndexError> {
    let keeps = std::fs::metadata(log_of(path)).map_or(true, |log| log.len() <= SHORT_LOG);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps)?;
    Ok(())
}

/// Creates an empty database, at `path` or in memory. It is fast, but not crash-safe until [`finish`].
pub(super) fn create(path: Option<&Path>) -> Result<Connection, IndexError> {
    let db = match path {
        Some(path) => Connection::open(path)?,
        None => Connection::open_in_memory()?,
    };
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    add_functions(&db)?;
    db.execute_batch("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    limit_memory(&db, 24)?;
    db.execute_batch(include_str!("schema.sql"))?;
    set_meta(&db, "program", env!("CARGO_PKG_VERSION"))?;
    set_portion(&db, LARGE_PORTION)?;
    Ok(db)
}

/// `folded(title)`: a title in lower case, in any script; SQLite's own `lower` knows only English letters. It is in the index
/// by which titles are sorted, so that no row has its title twice.
fn add_functions(db: &Connection) -> Result<(), IndexError> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    Ok(db.create_scalar_function("folded", 1, flags, |call| Ok(call.get_raw(0).as_str()?.to_lowercase()))?)
}

fn set_portion(db: &Connection, bytes: i64) -> Result<(), IndexError> {
    db.execute("INSERT INTO words (words, rank) VALUES ('hashsize', ?1)", [bytes])?;
    Ok(())
}

/// Adds the indexes. From now on, readers and a writer do not block each other, and writes are atomic.
pub(super) fn finish(db: &Connection) -> Result<(), IndexError> {
    db.execute_batch(include_str!("schema_indexes.sql"))?;
    set_portion(db, SMALL_PORTION)?;
    db.pragma_update(None, "application_id", APPLICATION)?;
    db.pragma_update(None, "user_version", VERSION)?;
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
    limit_memory(db, 4)
}

/// Keeps at most this many MiB of the database in memory.
pub(super) fn limit_memory(db: &Connection, mebibytes: i64) -> Result<(), IndexError> {
    // A negative number is one of KiB.
    Ok(db.pragma_update(None, "cache_size", -1024 * mebibytes)?)
}

/// The commit that a part reflects; `None` if it is empty.
pub(super) fn tip(db: &Connection, part: IndexPart) -> Result<Option<ObjectId>, IndexError> {
    Ok(meta(db, part.key())?.as_deref().and_then(object_id))
}

/// Records the commit that a part now reflects.
pub(super) fn set_tip(db: &Connection, part: IndexPart, commit: ObjectId) -> Result<(), IndexError> {
    if part == IndexPart::Words {
        remove_meta(db, WORDS_BEGUN)?;
    }
    set_meta(db, part.key(), &commit.to_string())
}

/// How far the words are, if they are on the way to another state.
pub(super) fn words_begun(db: &Connection) -> Result<Option<WordsBegun>, IndexError> {
    let Some(text) = meta(db, WORDS_BEGUN)? else { return Ok(None) };
    let mut words = text.split(' ');
    let (from, to, done) = (words.next().and_then(object_id), words.next().and_then(object_id), words.next());
    Ok(to.zip(done.and_then(|done| done.parse().ok())).map(|(to, done)| WordsBegun { from, to, done }))
}

/// Records how far the words are.
pub(super) fn set_words_begun(db: &Connection, begun: WordsBegun) -> Result<(), IndexError> {
    remove_meta(db, IndexPart::Words.key())?;
    let from = begun.from.map_or_else(|| "-".to_owned(), |from| from.to_string());
    set_meta(db, WORDS_BEGUN, &format!("{from} {} {}", begun.to, begun.done))
}

/// Makes a part empty.
pub(super) fn clear(db: &Connection, part: IndexPart) -> Result<(), IndexError> {
    remove_meta(db, part.key())?;
    if part == IndexPart::Words {
        remove_meta(db, WORDS_BEGUN)?;
    }
    Ok(db.execute_batch(match part {
        IndexPart::Rows => {
            "DELETE FROM issues; DELETE FROM authors; DELETE FROM tags; DELETE FROM components;
             DELETE FROM depends; DELETE FROM parents;
             DELETE FROM uids; DELETE FROM queues; DELETE FROM links; DELETE FROM link_files; DELETE FROM facts; DELETE FROM items;
             DELETE FROM landing; DELETE FROM landing_proofs; DELETE FROM meta WHERE key = 'first land';"
        }
        IndexPart::Words => "INSERT INTO words (words) VALUES ('delete-all');",
        IndexPart::Log => "DELETE FROM commits; DELETE FROM touched;",
    })?)
}

/// What was kept under a name.
pub(super) fn kept(db: &Connection, name: &str) -> Result<Option<String>, IndexError> {
    Ok(meta(db, &format!("kept {name}"))?)
}

/// Keeps a text under a name.
pub(super) fn keep(db: &Connection, name: &str, text: &str) -> Result<(), IndexError> {
    set_meta(db, &format!("kept {name}"), text)
}

pub(super) fn meta(db: &Connection, key: &str) -> Result<Option<String>, rusqlite::Error> {
    let mut query = db.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    query.query_row([key], |row| row.get(0)).optional()
}

pub(super) fn set_meta(db: &Connection, key: &str, value: &str) -> Result<(), IndexError> {
    db.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", params![key, value])?;
    Ok(())
}

fn remove_meta(db: &Connection, key: &str) -> Result<(), IndexError> {
    db.execute("DELETE FROM meta WHERE key = ?1", [key])?;
    Ok(())
}
