package record_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/store/record"
)

func TestNichesAreReadAsTheyAreShown(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int // nil: it is refused
	}{
		{"9,4", []int{9, 4}},
		{"(9,4)", []int{9, 4}},
		{"(9, 4)", []int{9, 4}},
		{"7", []int{7}},
		{"1,2,3", []int{1, 2, 3}},
		{"", nil},
		{"9,", nil},
		{"9;4", nil},
		{"c9", nil},
		{"9,4.5", nil},
	} {
		got, err := record.ParseNiche(c.text)
		if c.want == nil {
			if err == nil || !strings.Contains(err.Error(), "write 9,4") {
				t.Errorf("%q gave %v, %v", c.text, got, err)
			}
		} else if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q gave %v, %v; want %v", c.text, got, err, c.want)
		}
	}
}

func TestCandidatesAreReadAsTheyAreShown(t *testing.T) {
	for _, c := range []struct {
		text string
		want record.CandidateID
	}{
		{"c12", 12}, {"12", 12}, {"#12", 12}, {"0", record.Root}, {"", record.NoCandidate}, {"-1", record.NoCandidate}, {"best", record.NoCandidate},
	} {
		got, err := record.ParseCandidateID(c.text)
		if got != c.want || (err != nil) != (c.want == record.NoCandidate) {
			t.Errorf("%q gave %v, %v", c.text, got, err)
		}
	}
}

func TestAPriorityIsTakenBackByTheOneBefore(t *testing.T) {
	d := record.NewPriority(7, 2, 5)
	back := d.Inverse
	if d.Verb != record.Prioritise || d.Job != 7 || d.Value != 5 || d.Candidate != record.NoCandidate {
		t.Errorf("made %+v", d)
	}
	if back == nil || back.Verb != record.Prioritise || back.Job != 7 || back.Value != 2 || back.Inverse != nil {
		t.Errorf("taken back by %+v", back)
	}
}
