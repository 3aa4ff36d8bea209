-- Standard deviations of the deciding and of the held-out samples, and how busy
-- the machine was when a sample was taken (its load by processor; NULL unknown).
ALTER TABLE candidate ADD COLUMN dev REAL NOT NULL DEFAULT 0;
ALTER TABLE candidate ADD COLUMN claimed_dev REAL NOT NULL DEFAULT 0;
ALTER TABLE sample ADD COLUMN load REAL;
