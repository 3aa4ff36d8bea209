package history

import "testing"

func TestDecisionsOfOneActAreSaidInOneSentence(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"ada: approve c3", "ada: approve c5"}, "ada: approve c3, c5"},
		{[]string{"ada: reject c3: risky", "ada: reject c5: risky", "ada: reject c12: risky"}, "ada: reject c3, c5, c12: risky"},
		{[]string{"ada: c4 waits again", "ada: c1 waits again", "ada: c3 waits again"}, "ada: c4, c1, c3 wait again"},
		{[]string{"ada: c4 is frozen again", "ada: c10 is frozen again"}, "ada: c4, c10 are frozen again"},
	} {
		said, single := c.texts[0], c.texts[0]
		for _, text := range c.texts[1:] {
			joined, ok := join(said, single, text)
			if !ok {
				t.Fatalf("%q and %q are not joined", said, text)
			}
			said, single = joined, text
		}
		if said != c.want {
			t.Errorf("it says %q, not %q", said, c.want)
		}
	}
	if said, ok := join("ada: approve c3", "ada: approve c3", "ada: boost niche (1,2) x2"); ok {
		t.Errorf("what differs is joined to %q", said)
	}
}
