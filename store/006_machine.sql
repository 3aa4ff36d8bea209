-- Where a job was measured, and each of its samples: the name of a machine of the
-- fleet ('' = by the run itself, or before this was kept).
ALTER TABLE job ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE sample ADD COLUMN machine TEXT NOT NULL DEFAULT '';
