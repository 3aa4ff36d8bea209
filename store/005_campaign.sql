-- The log of a repository's campaign: its backlog, plan and results. One campaign
-- a store; numbers count from 1 without gaps.
CREATE TABLE campaign (
  seq  INTEGER PRIMARY KEY,
  at   INTEGER NOT NULL,
  kind TEXT    NOT NULL,
  task INTEGER NOT NULL, -- 0 = the campaign as a whole
  who  TEXT    NOT NULL,
  data BLOB    NOT NULL
) STRICT;
