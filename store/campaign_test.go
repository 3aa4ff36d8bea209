package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"atoll/store/record"
)

func TestTheCampaignsLogRefusesWhatWasDecidedOnAnOlderState(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, filepath.Join(t.TempDir(), "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	line := func(kind string) record.CampaignRow {
		return record.CampaignRow{Kind: record.CampaignKind(kind), Task: 3, Who: "ann", Data: []byte(`{"a":1}`)}
	}
	if seq, err := db.AppendCampaign(ctx, 0, line("a"), line("b")); seq != 2 || err != nil {
		t.Fatalf("two rows end at %d (%v), want 2", seq, err)
	}
	if _, err := db.AppendCampaign(ctx, 1, line("late")); !errors.Is(err, ErrLost) {
		t.Fatalf("a row decided on position 1 of 2 gives %v, want ErrLost", err)
	}
	if _, err := db.AppendCampaign(ctx, 2, record.CampaignRow{Kind: "x", Data: []byte(`{`)}); !errors.Is(err, ErrInvalid) {
		t.Fatalf("broken JSON gives %v, want ErrInvalid", err)
	}
	rows, err := db.CampaignLog(ctx, 0)
	if err != nil || len(rows) != 2 {
		t.Fatalf("the log has %d rows (%v), want 2", len(rows), err)
	}
	want := line("b")
	want.Seq, want.At = 2, rows[1].At
	if got := rows[1]; got.Kind != want.Kind || got.Seq != 2 || got.Task != 3 || got.Who != "ann" || string(got.Data) != `{"a":1}` || got.At == 0 {
		t.Fatalf("the second row is %+v, want %+v", got, want)
	}
	if rows, _ := db.CampaignLog(ctx, 1); len(rows) != 1 || rows[0].Seq != 2 {
		t.Fatalf("after 1 come %v, want row 2 alone", rows)
	}
}
