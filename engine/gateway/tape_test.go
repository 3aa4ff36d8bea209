package gateway_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/gateway"
)

func TestRecordAndReplay(t *testing.T) {
	steps := []http.HandlerFunc{
		says("one "+plantedKey+" end of the answer, which is longer than the key is", 10, 5), says("two", 11, 6), cuts, status(400, `{"error":"no `+plantedKey+`"}`),
		func(w http.ResponseWriter, _ *http.Request) { sse(w); chatEnd(w, "content_filter", 5, 0) },
	}
	dir := t.TempDir()
	f := newFake(t, steps...)
	o, _ := options(gateway.Chat, f.URL)
	o.Record, o.Attempts = dir, 1
	run := func(g *gateway.Gateway) (out []string, cost float64) {
		a := account(1, nil)
		for i := range steps {
			q := ask(a)
			if i > 1 {
				q.Messages[0].Content = fmt.Sprint("hello again ", i)
			}
			res, err := g.Client().Complete(t.Context(), q)
			out = append(out, fmt.Sprintf("%q %s %v %v", res.Text, res.Finish, res.Tokens, err))
		}
		return out, *a.Totals().Usage.CostUSD
	}
	first, cost := run(mustNew(t, o))
	if cost == 0 {
		t.Error("the recording cost nothing")
	}
	seen := len(f.requests())

	o.Record, o.Replay = "", dir
	o.Getenv = func(string) string { t.Error("a replay reads a key"); return "" }
	o.Providers[0].KeyEnv = ""
	g := mustNew(t, o)
	second, cost := run(g)
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("step %d:\n recorded %s\n replayed %s", i, first[i], second[i])
		}
	}
	if cost != 0 || len(f.requests()) != seen {
		t.Errorf("the replay cost $%v and sent %d requests", cost, len(f.requests())-seen)
	}
	q := ask(account(1, nil))
	q.Messages[0].Content = "never asked"
	if _, err := g.Client().Complete(t.Context(), q); !errors.Is(err, gateway.ErrNoRecording) {
		t.Errorf("another prompt: got %v", err)
	}
	exchanges, err := gateway.Recorded(dir)
	if err != nil || len(exchanges) != len(steps) {
		t.Errorf("%d exchanges, %v", len(exchanges), err)
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			data, _ := os.ReadFile(path)
			noKey(t, path, string(data))
			if info, _ := d.Info(); info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s can be read by others: %v", path, info.Mode())
			}
		}
		return nil
	})
}

func TestServedRequestsReplay(t *testing.T) {
	dir := t.TempDir()
	f := newFake(t, anthropicSays)
	o, _ := options(gateway.Anthropic, f.URL)
	o.Record = dir
	run := func() (int, string) {
		e := serve(t, mustNew(t, o), gateway.Job{Account: account(1, nil), Providers: []string{"p"}})
		defer e.Close()
		return post(t, http.DefaultClient, e.BaseURL(gateway.Anthropic)+"/v1/messages", e.Token, `{"model":"m","max_tokens":9,"stream":true,"messages":[]}`)
	}
	code, text := run()
	o.Record, o.Replay = "", dir
	again, replayed := run()
	if code != 200 || again != 200 || text != replayed || !strings.Contains(text, "message_stop") || len(f.requests()) != 1 {
		t.Errorf("recorded %d %s\nreplayed %d %s", code, text, again, replayed)
	}
}
