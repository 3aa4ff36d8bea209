package cli

import (
	"testing"

	"atoll/store/record"
)

func TestASizeSaysAgainstWhom(t *testing.T) {
	from := func(id record.CandidateID) *record.Candidate {
		return &record.Candidate{ID: 6, Files: 1, Added: 1, Removed: 2, Parents: []record.ParentRef{{ID: 1, Role: "inspiration"}, {ID: id, Role: record.RoleParent}}}
	}
	for want, c := range map[string]*record.Candidate{
		"1 file, +1 -2 lines against the root":                                            from(record.Root),
		"1 file, +1 -2 lines against its parent c3 (`atoll diff c6` is against the root)": from(3),
		"0 files, +0 -0 lines": {},
	} {
		if got := changeText(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
