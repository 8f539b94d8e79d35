-- An index of one state of the store. Nothing is true only here.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row for each issue. `status` is the place in the order of the work, -1 where the issue cannot be read; `finished` is when
-- the issue was completed or closed, if it still is; `completed` is 1 if an execution completed it, and nobody cancelled it since. What is long is not here: it is read from the tree.
CREATE TABLE issues (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
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
    finished INTEGER,
    solutions INTEGER NOT NULL,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,
    kind TEXT,
    undecided INTEGER NOT NULL,
    completed INTEGER NOT NULL
);
CREATE UNIQUE INDEX by_id ON issues (id);
CREATE TABLE authors (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE tags (n INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (n, tag)) WITHOUT ROWID;
CREATE TABLE components (n INTEGER NOT NULL, component TEXT NOT NULL, PRIMARY KEY (n, component)) WITHOUT ROWID;
-- What an issue depends on, and the issues that it is a part of.
CREATE TABLE depends (n INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY (n, target)) WITHOUT ROWID;
CREATE TABLE parents (n INTEGER NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (n, parent)) WITHOUT ROWID;
-- The ends of ids, after the last dash: of the issue, of its plans and of its executions. The rest follows from the issue.
-- Those of plans and executions have no upper-case letters.
CREATE TABLE uids (n INTEGER NOT NULL, kind INTEGER NOT NULL, uid TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (n, kind, uid)) WITHOUT ROWID;
CREATE TABLE queues (whole TEXT PRIMARY KEY) WITHOUT ROWID;
-- Commits of the project that an execution links, or linked before they were rewritten; `uid` is the end of its id.
CREATE TABLE links (hash BLOB NOT NULL, n INTEGER NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (hash, n, uid)) WITHOUT ROWID;
-- The files of those commits, as their links list them, when they were authored, in milliseconds, and whether they were rewritten.
-- The file is empty if there are too many to list.
CREATE TABLE link_files (file TEXT NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, rewritten INTEGER NOT NULL, PRIMARY KEY (file, hash, n)) WITHOUT ROWID;

-- Of completed issues, whether their work is on the target branch, as derived when the branch was at the tips in `meta`: the
-- place of the state in its order, and the whole answer. A row goes with every change of its issue.
CREATE TABLE landing (n INTEGER PRIMARY KEY, state INTEGER NOT NULL, told TEXT NOT NULL);
-- When work of an issue was first recorded as landed, in milliseconds.
CREATE TABLE first_landings (n INTEGER PRIMARY KEY, at INTEGER NOT NULL);
-- The commits of the branch that show it.
CREATE TABLE landing_proofs (hash TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (hash, n)) WITHOUT ROWID;

-- What queues and overviews need to know of issues: here are those that are open and have a plan or an execution, since only
-- these are read by the thousand.
CREATE TABLE facts (n INTEGER PRIMARY KEY, packed BLOB NOT NULL);
-- The items of plans; of one that cannot be read, why. `packed` and `facts` are read by `packed.rs`. An item has the facts of its
-- issue beside it, so that a long queue is read in one piece; `issue` is that of its plan, and `live` is 0
-- where it was removed or cannot be read, 2 where it names another issue than that.
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

-- The texts themselves are in the tree.
CREATE VIRTUAL TABLE words USING fts5 (
    title, context, comments, plans, commits, feedback, explorations, tokenize = 'porter unicode61 remove_diacritics 2',
    content = '', contentless_delete = 1
);
