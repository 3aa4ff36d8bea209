-- Why a job was held, kept for when an approval is taken back; and how a job had
-- ended that waits for a person again since (JSON of record.EndData, '' = it had
-- not).
ALTER TABLE job ADD COLUMN held_for TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN was TEXT NOT NULL DEFAULT '';
UPDATE job SET held_for = reason WHERE state = 'held';
