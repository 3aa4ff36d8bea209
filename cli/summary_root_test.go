package cli

import (
	"strings"
	"testing"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestTheRootBesideABestIsToldByTheSamplesThatDecidedNothing(t *testing.T) {
	s := &view.Snapshot{}
	s.Root.Objective = 0.119
	if got := rootValue(s); got != "0.119" {
		t.Errorf("without others: %s", got)
	}
	held := 0.1045
	s.Root.Claimed, s.Root.Claim.N = &held, 4
	if got := rootValue(s); got != "0.1045 (n 4)" {
		t.Errorf("with four held out: %s", got)
	}
}

func TestALongReasonOfAFailedJobIsCutInTheLinesOfARun(t *testing.T) {
	var out strings.Builder
	a := &App{Out: &out}
	text := "c3 failed: " + strings.Repeat("noise ", 60)
	a.printLine(view.LogLine{At: time.Unix(0, 0).UTC(), Level: "warn", Job: 3, Text: text})
	a.printLine(view.LogLine{At: time.Unix(0, 0).UTC(), Level: "warn", Job: record.NoJob, Text: text})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || len([]rune(lines[0])) > 190 || len(lines[1]) < 300 {
		t.Errorf("%d lines, %q", len(lines), lines)
	}
}

func TestCommandsWithoutAVerbCanBeTypedToo(t *testing.T) {
	a := &App{Called: "../bin/atoll"}
	if got := a.spell("watch it with `atoll`, go on with `atoll run`"); got != "watch it with `../bin/atoll`, go on with `../bin/atoll run`" {
		t.Error(got)
	}
}
