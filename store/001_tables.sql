-- Numbers of jobs and candidates count within their experiment, so most keys
-- begin with it. Times are milliseconds since 1970, git hashes 20 bytes,
-- vectors packed little-endian floats. Tables of narrow rows have no rowid.

CREATE TABLE experiment (
  id          INTEGER PRIMARY KEY,
  name        TEXT    NOT NULL UNIQUE,
  repository  TEXT    NOT NULL,
  branch      TEXT    NOT NULL,
  root_commit BLOB    NOT NULL,
  root_tree   BLOB    NOT NULL,
  root_time   INTEGER NOT NULL,
  seed        INTEGER NOT NULL, -- the 64 bits of an unsigned number
  strict      INTEGER NOT NULL,
  lookahead   INTEGER NOT NULL,
  config      BLOB    NOT NULL,
  eval_key    TEXT    NOT NULL,
  objective   INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  created     INTEGER NOT NULL
) STRICT;

-- The whole settings as JSON, the budgets beside them for the leasing
-- transaction. Money is in billionths of a dollar everywhere.
CREATE TABLE settings (
  experiment INTEGER PRIMARY KEY REFERENCES experiment(id),
  data       BLOB    NOT NULL,
  max_jobs   INTEGER NOT NULL,
  max_evals  INTEGER NOT NULL,
  max_tokens INTEGER NOT NULL,
  max_cost   INTEGER NOT NULL,
  max_wall   INTEGER NOT NULL
) STRICT;

-- Totals, changed in the transaction that causes them.
CREATE TABLE total (
  experiment    INTEGER PRIMARY KEY REFERENCES experiment(id),
  begun         INTEGER NOT NULL DEFAULT 0, -- make jobs that were leased once or ended
  evals         INTEGER NOT NULL DEFAULT 0,
  requests      INTEGER NOT NULL DEFAULT 0,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost          INTEGER NOT NULL DEFAULT 0,
  priced        INTEGER NOT NULL DEFAULT 0, -- usages with a known cost
  unpriced      INTEGER NOT NULL DEFAULT 0, -- usages with an unknown one
  unmetered     INTEGER NOT NULL DEFAULT 0,
  reserved      INTEGER NOT NULL DEFAULT 0, -- money of requests that run
  forfeit       INTEGER NOT NULL DEFAULT 0, -- money of requests whose process died
  wall          INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE job_count (
  experiment INTEGER NOT NULL REFERENCES experiment(id),
  kind       TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  n          INTEGER NOT NULL,
  PRIMARY KEY (experiment, kind, state)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
  experiment    INTEGER NOT NULL REFERENCES experiment(id),
  id            INTEGER NOT NULL CHECK (id >= 0),
  kind          TEXT    NOT NULL,
  state         TEXT    NOT NULL,
  priority      INTEGER NOT NULL,
  lane          INTEGER NOT NULL, -- order of service within a priority, see lease.go
  purpose       TEXT    NOT NULL,
  island        TEXT    NOT NULL,
  parent        INTEGER NOT NULL,
  inspirations  TEXT    NOT NULL, -- numbers separated by commas
  operator      TEXT    NOT NULL,
  agent         TEXT    NOT NULL,
  target        TEXT    NOT NULL,
  goal          TEXT    NOT NULL,
  candidate     INTEGER NOT NULL, -- -1 = none
  duplicate     INTEGER NOT NULL, -- -1 = none
  retry_of      INTEGER NOT NULL,
  repeat        INTEGER NOT NULL,
  samples       INTEGER NOT NULL,
  held_at       TEXT    NOT NULL DEFAULT '',
  approved      INTEGER NOT NULL DEFAULT 0,
  attempt       INTEGER NOT NULL DEFAULT 0,
  class         TEXT    NOT NULL DEFAULT '',
  reason        TEXT    NOT NULL DEFAULT '',
  requests      INTEGER NOT NULL DEFAULT 0,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost          INTEGER NOT NULL DEFAULT 0, -- the known part
  priced        INTEGER NOT NULL DEFAULT 0,
  unpriced      INTEGER NOT NULL DEFAULT 0,
  unmetered     INTEGER NOT NULL DEFAULT 0,
  evals         INTEGER NOT NULL DEFAULT 0, -- of all attempts, reserved ones included
  evals_open    INTEGER NOT NULL DEFAULT 0, -- reserved by the present attempt
  reserved      INTEGER NOT NULL DEFAULT 0,
  forfeit       INTEGER NOT NULL DEFAULT 0,
  edit_ms       INTEGER NOT NULL DEFAULT 0,
  eval_ms       INTEGER NOT NULL DEFAULT 0,
  own_ms        REAL    NOT NULL DEFAULT 0,
  created       INTEGER NOT NULL,
  started       INTEGER NOT NULL DEFAULT 0,
  ended         INTEGER NOT NULL DEFAULT 0,
  worker        TEXT    NOT NULL DEFAULT '',
  lease_until   INTEGER NOT NULL DEFAULT 0, -- 0 = not leased
  PRIMARY KEY (experiment, id),
  CHECK ((lease_until > 0) = (state IN ('editing', 'committed', 'gated', 'evaluating')))
) STRICT, WITHOUT ROWID;

CREATE INDEX job_queue ON job (experiment, priority DESC, lane, id) WHERE state = 'queued';
CREATE INDEX job_leased ON job (experiment, lease_until) WHERE lease_until > 0;
CREATE INDEX job_state ON job (experiment, state, id);

CREATE TABLE candidate (
  experiment      INTEGER NOT NULL REFERENCES experiment(id),
  id              INTEGER NOT NULL CHECK (id >= 0),
  job             INTEGER NOT NULL,
  commit_id       BLOB    NOT NULL,
  tree_id         BLOB    NOT NULL,
  parent          INTEGER NOT NULL, -- the one that was edited; -1 = none
  parents         TEXT    NOT NULL, -- all with their roles: "12 parent,7 inspiration"
  operator        TEXT    NOT NULL,
  agent           TEXT    NOT NULL,
  target          TEXT    NOT NULL,
  intent          TEXT    NOT NULL,
  added           INTEGER NOT NULL,
  removed         INTEGER NOT NULL,
  files           INTEGER NOT NULL,
  status          TEXT    NOT NULL,
  class           TEXT    NOT NULL DEFAULT '',
  reason          TEXT    NOT NULL DEFAULT '',
  objective       REAL,
  mad             REAL    NOT NULL DEFAULT 0,
  samples         INTEGER NOT NULL DEFAULT 0,
  claimed         REAL,
  claimed_samples INTEGER NOT NULL DEFAULT 0,
  version         INTEGER NOT NULL DEFAULT 0,
  measures        BLOB, -- packed 64-bit floats
  pinned          INTEGER NOT NULL DEFAULT 0,
  created         INTEGER NOT NULL,
  scored          INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (experiment, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX candidate_tree ON candidate (experiment, tree_id, id);
CREATE INDEX candidate_commit ON candidate (experiment, commit_id, id);
CREATE INDEX candidate_status ON candidate (experiment, status, id);

-- Who was edited or merged into whom; inspirations are only in candidate.parents.
CREATE TABLE descent (
  experiment INTEGER NOT NULL,
  parent     INTEGER NOT NULL,
  child      INTEGER NOT NULL,
  role       TEXT    NOT NULL,
  PRIMARY KEY (experiment, parent, child, role)
) STRICT, WITHOUT ROWID;

-- Medians of all metrics of a candidate, JSON, apart so that candidates stay narrow.
CREATE TABLE metric (
  id         INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL,
  candidate  INTEGER NOT NULL,
  data       BLOB    NOT NULL,
  UNIQUE (experiment, candidate)
) STRICT;

CREATE TABLE sample (
  experiment INTEGER NOT NULL,
  candidate  INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  job        INTEGER NOT NULL,
  repeat     INTEGER NOT NULL,
  held_out   INTEGER NOT NULL,
  objective  REAL    NOT NULL,
  wall_ms    INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  metrics    BLOB, -- JSON
  PRIMARY KEY (experiment, candidate, version, job, repeat)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
  id         INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL,
  job        INTEGER NOT NULL,
  attempt    INTEGER NOT NULL,
  kind       TEXT    NOT NULL,
  cut        INTEGER NOT NULL,
  size       INTEGER NOT NULL, -- of the text
  packed     INTEGER NOT NULL, -- 1 = text is a deflate stream
  text       BLOB    NOT NULL
) STRICT;

CREATE INDEX evidence_job ON evidence (experiment, job);

CREATE TABLE vector (
  id         INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL,
  candidate  INTEGER NOT NULL,
  data       BLOB    NOT NULL, -- packed 32-bit floats
  UNIQUE (experiment, candidate)
) STRICT;

CREATE TABLE embedder (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE blob_vector (
  id       INTEGER PRIMARY KEY,
  embedder INTEGER NOT NULL,
  blob     BLOB    NOT NULL,
  data     BLOB    NOT NULL,
  UNIQUE (embedder, blob)
) STRICT;

-- The one ordered log. Rows are only ever inserted. The last number given is in
-- sequence, read and written by the transaction that appends. What the fold
-- reads lies apart from the more numerous rows of how jobs got on.
CREATE TABLE log (
  experiment INTEGER NOT NULL,
  fold       INTEGER NOT NULL, -- 1 = the fold reads it
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  kind       TEXT    NOT NULL,
  job        INTEGER NOT NULL, -- -1 = none
  candidate  INTEGER NOT NULL, -- -1 = none
  data       BLOB, -- JSON
  PRIMARY KEY (experiment, fold, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX log_decision ON log (experiment, seq) WHERE kind = 'decision';

CREATE TABLE sequence (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  last INTEGER NOT NULL
) STRICT;

INSERT INTO sequence (id, last) VALUES (1, 0);

CREATE TABLE space (
  id         INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL REFERENCES experiment(id),
  version    INTEGER NOT NULL,
  at_fold    INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  report     BLOB    NOT NULL, -- JSON
  model      BLOB    NOT NULL,
  UNIQUE (experiment, version)
) STRICT;

CREATE TABLE note (
  id         INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL REFERENCES experiment(id),
  kind       TEXT    NOT NULL,
  target     TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  author     TEXT    NOT NULL,
  gone       INTEGER NOT NULL,
  at         INTEGER NOT NULL
) STRICT;

CREATE INDEX note_experiment ON note (experiment, id);

CREATE TABLE meta (
  experiment INTEGER NOT NULL REFERENCES experiment(id),
  key        TEXT    NOT NULL,
  value      TEXT    NOT NULL,
  PRIMARY KEY (experiment, key)
) STRICT, WITHOUT ROWID;
