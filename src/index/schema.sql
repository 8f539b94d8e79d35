-- An index of one state of the store. Nothing is true only here.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row for each issue. `status` is the place in the order of the work, -1 where the issue cannot be read.
CREATE TABLE issues (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    status INTEGER NOT NULL,
    over INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    executing INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER,
    author INTEGER NOT NULL,
    assignee TEXT,
    wave INTEGER,
    solutions INTEGER NOT NULL,
    title TEXT NOT NULL,
    folded TEXT NOT NULL,
    tags TEXT NOT NULL,
    kind TEXT
);
CREATE TABLE authors (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
-- What `list --json` says of it.
CREATE TABLE whole (n INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE tags (n INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (n, tag)) WITHOUT ROWID;
CREATE TABLE components (n INTEGER NOT NULL, component TEXT NOT NULL, PRIMARY KEY (n, component)) WITHOUT ROWID;
-- What an issue depends on, and the issues that it is a part of.
CREATE TABLE depends (n INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY (n, target)) WITHOUT ROWID;
CREATE TABLE parents (n INTEGER NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (n, parent)) WITHOUT ROWID;
-- Everything with an id; `n` is its issue, and none for a queue.
CREATE TABLE ids (whole TEXT PRIMARY KEY, uid TEXT NOT NULL, kind INTEGER NOT NULL, n INTEGER) WITHOUT ROWID;
-- Commits of the project that an execution links, or linked before they were rewritten.
CREATE TABLE links (
    hash TEXT NOT NULL, execution TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (hash, execution)
) WITHOUT ROWID;

-- What queues need to know of an issue, and the items of its plans; of one that cannot be read, why. `packed` and `facts`
-- are read by `packed.rs`. An item has the facts of its issue beside it, so that a long queue is read in one piece; `issue`
-- is that of its plan, and `live` is 0 where it was removed or cannot be read, 2 where it names another issue than that.
CREATE TABLE facts (n INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE items (
    queue TEXT NOT NULL, live INTEGER NOT NULL, position TEXT NOT NULL, path TEXT NOT NULL,
    issue TEXT NOT NULL, packed BLOB, why TEXT, facts BLOB,
    PRIMARY KEY (queue, live, position, path)
) WITHOUT ROWID;

-- The commits of the ref. In a log the later stand first: by `late`, the commit's time or that of its latest ancestor,
-- and `depth`, the length of the longest way to the root.
CREATE TABLE commits (
    n INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    late INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    step TEXT NOT NULL
);
-- Which commit did something to what; a merge only where no parent has the same.
CREATE TABLE touched (thing TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (thing, n)) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (
    title, context, comments, plans, commits, feedback, explorations, tokenize = 'porter unicode61 remove_diacritics 2'
);
