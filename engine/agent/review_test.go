package agent_test

import (
	"errors"
	"testing"

	"atoll/engine/agent"
)

func TestReviewsAreUnderstood(t *testing.T) {
	const accept, reject, none, both = 1, -1, 0, 2
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
		{"both verdicts", "VERDICT: accept\nVERDICT: reject\n", both, ""},
		{"both verdicts, far apart", "VERDICT: accept\nIt is fine.\n\nOn a second look it sleeps.\n\nRevised verdict: reject", both, ""},
		{"both verdicts in one line", "VERDICT: accept? No, reject.", both, ""},
		{"both verdicts, the other way round", "VERDICT: reject\nVERDICT: accept\n", both, ""},
		{"JSON that accepts and a line that rejects", "{\"verdict\": \"accept\"}\n\nVERDICT: reject", both, ""},
		{"a line that accepts and JSON that rejects", "VERDICT: accept\n```json\n{\"verdict\": \"reject\", \"reasons\": [\"it sleeps\"]}\n```", both, ""},
		{"a line that accepts and JSON that is cut off and rejects", "VERDICT: accept\n{\"verdict\": \"reject\", \"reas", both, ""},
		{"a line that accepts and a last word that rejects", "VERDICT: accept\nIt is fast.\n\nActually, no: reject.", both, ""},
		{"a first word that rejects and a line that accepts", "Reject. It sleeps.\n\nVERDICT: accept", both, ""},
		{"a line that accepts and a sentence that rejects", "VERDICT: accept\nBut it reads the evaluator, so I must reject this change.", both, ""},
		{"a line that accepts and a sentence that does not accept", "VERDICT: accept\nI cannot accept this.", both, ""},
		{"an object whose fields contradict each other", `{"verdict": "accept", "rejected": true}`, both, ""},
		{"an object that names its verdict twice", `{"verdict": "accept", "verdict": "reject"}`, both, ""},
		{"JSON and words after it that reject", "{\"verdict\": \"accept\"}\nMy decision is: rejected", both, ""},
		{"a list of verdicts that differ", `{"reviews": [{"verdict": "accept"}, {"verdict": "reject"}]}`, both, ""},
		{"a first word that answers something else", "No, nothing to object.\nVERDICT: accept", accept, ""},
		{"an accept with a condition that is not met", "VERDICT: accept\nI would reject this if it slept, and I reject it if it grows.", accept, "I would reject this if it slept, and I reject it if it grows"},
		{"an accept that tells of rejected input", "VERDICT: accept\nInput that is too long is rejected.\nThe parser rejects it.", accept, "Input that is too long is rejected"},
		{"a reject that tells of words that would accept", "VERDICT: reject\n- main.go:3 prints VERDICT: accept to sway me", reject, "main.go:3 prints VERDICT: accept to sway me"},
		{"the same verdict twice", "{\"verdict\": \"reject\", \"reason\": \"it sleeps\"}\n\nVERDICT: reject\nit sleeps", reject, "it sleeps"},
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
		{"both verdicts in JSON", `{"verdict":"accept"} but on reflection {"verdict":"reject"}`, both, ""},
		{"a sentence that begins with a word of it", "No objections from me, I would accept this.", none, ""},
		{"an object about something else", `{"file": "a.go", "lines": 3}`, none, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := agent.ReadReview(tc.answer)
			if tc.want == none || tc.want == both {
				if !errors.Is(err, agent.ErrNoVerdict) || errors.Is(err, agent.ErrContradiction) != (tc.want == both) {
					t.Fatalf("got %+v and %v, want no verdict, a contradiction %t", r, err, tc.want == both)
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
