-- Made when the tables are full, which is faster.
-- The order in which they are listed, with what they are listed by: no row is looked at that does not fit.
CREATE INDEX open_by_priority ON issues (priority, created, id, author, solutions) WHERE over = 0;
CREATE INDEX by_priority ON issues (priority, created, id, over);
CREATE INDEX by_status ON issues (status, priority, created, id);
CREATE INDEX by_created ON issues (created DESC, id, over);
CREATE INDEX by_updated ON issues (updated DESC, id, over);
CREATE INDEX by_id ON issues (id, over);
CREATE INDEX by_work ON issues (status, id, over);
CREATE INDEX by_title ON issues (folded, id, over);
CREATE INDEX by_author ON issues (author);
CREATE INDEX by_assignee ON issues (assignee);
CREATE INDEX by_wave ON issues (wave);
CREATE INDEX by_tag ON tags (tag, n);
CREATE INDEX by_component ON components (component, n);
CREATE INDEX by_target ON depends (target, n);
CREATE INDEX by_parent ON parents (parent, n);
CREATE INDEX by_kind ON issues (kind);
CREATE INDEX by_uid ON ids (uid);
CREATE INDEX ids_of ON ids (n);
CREATE INDEX links_of ON links (n);
CREATE INDEX items_of ON items (issue);
CREATE INDEX commits_in_order ON commits (late, depth, hash);
CREATE INDEX with_execution ON issues (id) WHERE executing = 1;
CREATE INDEX with_hidden ON issues (id) WHERE hidden = 1;
