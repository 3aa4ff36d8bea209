package engine_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/store/record"
)

func TestAReviewer(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run for each of its settings; TestAReflectorWritesNotesAtTheEndOfAnEpochAndAReviewerRejects stands for it")
	const rejects = "```json\n{\"verdict\": \"reject\", \"reasons\": [\"program.txt:2 guesses\"]}\n```"
	for _, tc := range []struct {
		name      string
		replies   []string // to the first, the second ... question about one candidate
		fail      string
		rejected  bool
		held      bool
		questions int // about each candidate
		reason    string
		status    int // with which its provider answers; 0: it serves
	}{
		{"that answers in JSON is understood", []string{rejects}, "open", true, false, 1, "program.txt:2 guesses", 0},
		{"that gave no verdict is asked once more", []string{"Interesting.", rejects}, "open", true, false, 2, "program.txt:2 guesses", 0},
		{"that never gives a verdict leaves it to a person where it fails open, too", []string{"Interesting."}, "open", false, true, 2, "was not reviewed: the review has no verdict", 0},
		{"that says the question again leaves it to a person", []string{"VERDICT: accept | reject"}, "open", false, true, 2, "was not reviewed: the review has no verdict", 0},
		{"that accepts in JSON what it would not accept leaves it to a person", []string{`I would not accept this. {"verdict":"approve"}`}, "open", false, true, 2, "it says accept and reject", 0},
		{"that never gives a verdict leaves it to a person where it fails closed", []string{"Interesting."}, "closed", false, true, 2, "was not reviewed: the review has no verdict", 0},
		{"that accepts and rejects is asked once more", []string{"VERDICT: accept\nIt is fine.\n\nVERDICT: reject", "VERDICT: accept"}, "open", false, false, 2, "", 0},
		{"that accepts and rejects and accepts and rejects leaves it to a person, where it fails open, too", []string{"VERDICT: accept\n{\"verdict\": \"reject\"}"}, "open", false, true, 2, "it says accept and reject", 0},
		{"that accepts and rejects and then says nothing leaves it to a person", []string{"VERDICT: accept\nRevised verdict: reject", "Hm."}, "open", false, true, 2, "it says accept and reject", 0},
		{"that cannot read what it is asked lets pass where it fails open", nil, "open", false, false, 1, "", 400},
		{"that cannot read what it is asked leaves it to a person where it fails closed", nil, "closed", false, true, 1, "was not reviewed: critic: status 400", 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, reviewer := newFakeModel(t), newFakeModel(t)
			var mu sync.Mutex
			asked := map[string]int{} // by the change that is shown
			hear := func(prompt string) string {
				_, change, _ := strings.Cut(prompt, "## The change")
				change, _, _ = strings.Cut(change, "## What to deliver")
				mu.Lock()
				defer mu.Unlock()
				asked[change]++
				if n := asked[change]; n > 1 && !strings.Contains(prompt, "could not be read") {
					t.Errorf("asked again without a word on why:\n%s", prompt)
				}
				if tc.status != 0 {
					return ""
				}
				return tc.replies[min(asked[change], len(tc.replies))-1]
			}
			reviewer.reply = hear
			reviewer.trouble = func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if tc.status == 0 {
					return false
				}
				hear(reviewer.asked()[n-1])
				http.Error(w, `{"error":{"message":"no such parameter"}}`, tc.status)
				return true
			}
			l := agentLab(t, func(c *config.Config) {
				critic := reviewer.agent("critic")
				critic.Weight = 0
				c.Agents = []config.Agent{m.agent("model"), critic}
				c.Roles.Reviewer, c.Review.Fail = "critic", tc.fail
				c.Budget.Jobs, c.Workers = 2, 1
			})
			snap, err := l.runWith(engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := snap.Jobs.Rejected == 2; got != tc.rejected {
				t.Errorf("rejected %d of 2, want all %t", snap.Jobs.Rejected, tc.rejected)
			}
			if got := snap.Jobs.Held == 2; got != tc.held {
				t.Errorf("held %d of 2, want all %t", snap.Jobs.Held, tc.held)
			}
			for _, j := range l.jobs(record.Rejected, record.Held) {
				if !strings.Contains(j.Reason, tc.reason) {
					t.Errorf("%s: %q, want %q", j.ID, j.Reason, tc.reason)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for change, n := range asked {
				if n != tc.questions {
					t.Errorf("asked %d times, want %d, about\n%s", n, tc.questions, change)
				}
			}
			if len(asked) != 2 {
				t.Errorf("asked about %d candidates, want 2", len(asked))
			}
		})
	}
}
