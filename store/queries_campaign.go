package store

// Statements of the campaign's log.
const (
	sqlCampaignInsert statement = `INSERT INTO campaign (seq, at, kind, task, who, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`
	sqlCampaignLast   statement = `SELECT coalesce(max(seq), 0) FROM campaign`
	sqlCampaign       statement = `SELECT seq, at, kind, task, who, data FROM campaign WHERE seq > ?1 ORDER BY seq`
)
