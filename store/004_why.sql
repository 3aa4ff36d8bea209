-- Why a make job has its parent, operator, target and inspirations, in one line
-- ('' = it was queued before this was kept).
ALTER TABLE job ADD COLUMN why TEXT NOT NULL DEFAULT '';
