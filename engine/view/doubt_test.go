package view_test

import (
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestValuesInADoubtKeepTheirSpaces(t *testing.T) {
	c := &record.Candidate{ID: 4, Status: record.StatusHeld, Reason: "f(\"  \") gave {}\nand gives {\"  \": 1} " + strings.Repeat("x", 400)}
	got := view.Doubt(c)
	if !strings.HasPrefix(got, `c4 waits for a person: f("  ") gave {} and gives {"  ": 1} xx`) || !strings.HasSuffix(got, "x…") || len([]rune(got)) > 330 {
		t.Errorf("got %q", got)
	}
}
