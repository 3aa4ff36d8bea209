package agent_test

import (
	"errors"
	"testing"

	"atoll/engine/agent"
)

func TestReviewsAreUnderstood(t *testing.T) {
	const accept, reject, none = 1, -1, 0
	for _, tc := range []struct {
		name   string
		answer string
		want   int
		why    string
	}{
		{"a line", "VERDICT: accept\nNothing to object.", accept, "Nothing to object"},
		{"a line with a reason below", "VERDICT: reject\n- main.go:3 writes the result itself\n- and more", reject, "main.go:3 writes the result itself"},
		{"a line with a reason behind", "Verdict: reject - it sleeps", reject, "it sleeps"},
		{"a bold line in a heading", "## **VERDICT:** Rejected\nIt reads the evaluator.", reject, "It reads the evaluator"},
		{"a line behind words", "I looked at it.\n\nVERDICT: accept", accept, ""},
		{"after thoughts that weigh both", "<think>VERDICT: reject?\nno</think>\nVERDICT: accept", accept, ""},
		{"a JSON object", `{"verdict": "reject", "reasons": ["a.py:9 special-cases the test data", "x"]}`, reject, "a.py:9 special-cases the test data"},
		{"a JSON object in a fence", "Here it is:\n```json\n{\"verdict\": \"accept\", \"reasons\": []}\n```", accept, ""},
		{"a JSON object with a bool", `{"accepted": false, "reason": "no"}`, reject, "no"},
		{"a JSON object that says rejected", `{"rejected": true, "issues": [{"file": "a", "text": "hides a process"}]}`, reject, "hides a process"},
		{"a JSON object in another, with a comma too many", `{"review": {"decision": "Approve", "comments": "fine",}}`, accept, "fine"},
		{"a JSON object that spells its keys large", `{"Verdict":"REJECT","Reason":"it cannot work"}`, reject, "it cannot work"},
		{"the word alone", "Reject", reject, ""},
		{"the word and a reason", "**Accept.** All is within the target.", accept, "All is within the target"},
		{"the question said again, then the answer", "VERDICT: accept or VERDICT: reject?\nVERDICT: reject\nit leaves the target", reject, "it leaves the target"},
		{"no verdict", "The change looks interesting.", none, ""},
		{"no word at all", "", none, ""},
		{"both verdicts", "VERDICT: accept\nVERDICT: reject\n", none, ""},
		{"not accepted", "VERDICT: not sure", none, ""},
		{"a final verdict", "It sleeps.\n\nFinal verdict: REJECT.", reject, ""},
		{"a verdict in words", "The verdict is: reject, it sleeps", reject, "it sleeps"},
		{"do not accept", "I do not accept.\nVERDICT: do not accept\nit sleeps", reject, "it sleeps"},
		{"cannot be accepted", "Verdict: cannot be accepted", reject, ""},
		{"not rejected says nothing", "VERDICT: not rejected", none, ""},
		{"a tag", "<verdict>reject</verdict>", reject, ""},
		{"a wide colon", "VERDICT：reject", reject, ""},
		{"not accept in JSON", `{"verdict":"not accept", "reason": "it sleeps"}`, reject, "it sleeps"},
		{"a verdict that is an object", `{"verdict": {"result":"reject", "reason": "it sleeps"}}`, reject, "it sleeps"},
		{"JSON that is cut off", `{"verdict": "reject", "reasons": ["unterminated`, reject, ""},
		{"JSON that is cut off and does not say", `{"verdict": "rej`, none, ""},
		{"both verdicts in JSON", `{"verdict":"accept"} but on reflection {"verdict":"reject"}`, none, ""},
		{"a sentence that begins with a word of it", "No objections from me, I would accept this.", none, ""},
		{"an object about something else", `{"file": "a.go", "lines": 3}`, none, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := agent.ReadReview(tc.answer)
			if tc.want == none {
				if !errors.Is(err, agent.ErrNoVerdict) {
					t.Fatalf("got %+v and %v, want no verdict", r, err)
				}
				return
			}
			if err != nil || r.Accepted != (tc.want == accept) {
				t.Fatalf("got %+v and %v, want accepted %t", r, err, tc.want == accept)
			}
			if why := r.Why(); tc.why != "" && why != tc.why || tc.why == "" && why != "the reviewer gave no reason" {
				t.Errorf("got the reason %q, want %q", why, tc.why)
			}
		})
	}
}
