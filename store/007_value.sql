-- What the candidate of a row of the log had for values when the row was written: an
-- end, a hold or samples (value.go has the layout; NULL = none, or before this was kept).
ALTER TABLE log ADD COLUMN value BLOB;
