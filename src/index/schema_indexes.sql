-- Made when the tables are full, which is faster.
-- The order in which they are listed, ties broken by id: an import can give thousands of issues one time, and the first few
-- must not cost a sort of all of them. Rows that are equal in the last two are sorted by id as they come.
CREATE INDEX open_by_priority ON issues (priority, created, id) WHERE over = 0;
CREATE INDEX by_priority ON issues (priority, created, id);
CREATE INDEX by_status ON issues (status, priority, created, id);
CREATE INDEX by_created ON issues (created DESC, id);
CREATE INDEX by_updated ON issues (updated DESC, id);
CREATE INDEX by_finished ON issues (finished DESC);
CREATE INDEX by_title ON issues (folded(title));
CREATE INDEX by_author ON issues (author);
CREATE INDEX by_assignee ON issues (assignee) WHERE assignee IS NOT NULL;
-- With all that the progress of a wave depends on.
CREATE INDEX by_wave ON issues (wave, created, finished, status) WHERE wave IS NOT NULL;
CREATE INDEX by_tag ON tags (tag, n);
CREATE INDEX by_component ON components (component, n);
CREATE INDEX by_target ON depends (target, n);
CREATE INDEX by_parent ON parents (parent, n);
CREATE INDEX by_kind ON issues (kind) WHERE kind IS NOT NULL;
CREATE INDEX by_uid ON uids (uid);
CREATE INDEX by_id_in_any_case ON issues (id COLLATE NOCASE);
CREATE INDEX links_of ON links (n);
CREATE INDEX link_files_of ON link_files (n);
CREATE INDEX items_of ON items (issue);
CREATE INDEX commits_in_order ON commits (late, depth, hash);
-- How many issues have each status, so that nobody counts them.
CREATE TABLE counts (status INTEGER PRIMARY KEY, count INTEGER NOT NULL);
INSERT INTO counts SELECT status, count(*) FROM issues GROUP BY status;
CREATE TRIGGER counts_added AFTER INSERT ON issues BEGIN
    INSERT INTO counts VALUES (new.status, 1) ON CONFLICT (status) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER counts_removed AFTER DELETE ON issues BEGIN
    UPDATE counts SET count = count - 1 WHERE status = old.status;
END;
CREATE TRIGGER counts_changed AFTER UPDATE OF status ON issues BEGIN
    UPDATE counts SET count = count - 1 WHERE status = old.status;
    INSERT INTO counts VALUES (new.status, 1) ON CONFLICT (status) DO UPDATE SET count = count + 1;
END;
CREATE INDEX with_undecided ON issues (undecided) WHERE undecided > 0;
CREATE INDEX with_execution ON issues (id) WHERE executing = 1;
CREATE INDEX with_completed ON issues (id) WHERE completed = 1;
CREATE INDEX with_hidden ON issues (id) WHERE hidden = 1;
CREATE INDEX not_landed ON landing (state) WHERE state <> 0;
CREATE INDEX proofs_of ON landing_proofs (n);
CREATE INDEX by_first_landing ON first_landings (at);
