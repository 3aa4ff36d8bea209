package record

// CampaignKind says what a row of the campaign's log tells; package
// engine/campaign names the kinds and reads their data.
type CampaignKind string

// CampaignRow is a row of the campaign's log.
type CampaignRow struct {
	Seq  Seq // from 1, without gaps; given by the store
	At   Millis
	Kind CampaignKind
	Task int    // 0 = the campaign as a whole
	Who  string // a person, or the part of atoll that wrote it
	Data []byte // JSON
}
