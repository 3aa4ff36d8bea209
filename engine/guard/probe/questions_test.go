package probe

import (
	"reflect"
	"strings"
	"testing"
)

// notebook keeps remarks by a word, which one method alone tells.
type notebook struct {
	remarks map[string]string
	asked   int
}

func (n *notebook) Remark(word, text string) { n.remarks[word] = text }
func (n *notebook) On(word string) string    { return n.remarks[word] }
func (n *notebook) Asked(string) int         { n.asked++; return n.asked }

func newNotebook() *notebook { return &notebook{remarks: map[string]string{}} }

func TestAnObjectIsAskedForWhatStandsUnderTheWordsOfItsCase(t *testing.T) {
	api := API{Types: []Type{{"notebook", reflect.TypeFor[notebook]()}}, Funcs: []Func{{"newNotebook", reflect.ValueOf(newNotebook)}}}
	kept := 0
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf("notebook.Remark", 60)}) {
		if strings.Contains(a.Out, "Asked(") {
			t.Errorf("an answer that changes from call to call is told: %s", a.Out)
		}
		for _, answer := range strings.Split(a.Out, " On(")[1:] {
			if _, text, _ := strings.Cut(answer, ")="); !strings.HasPrefix(text, `""`) {
				kept++
				break
			}
		}
	}
	if kept < 10 {
		t.Errorf("in %d cases of 60 a remark is told", kept)
	}
}
