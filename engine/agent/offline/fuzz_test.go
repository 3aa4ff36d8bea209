package offline_test

import (
	"context"
	"errors"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
)

// FuzzEdit feeds any bytes as any language to every operator.
func FuzzEdit(f *testing.F) {
	exts := []string{".go", ".py", ".js", ".c", ".rs", ".sh", ".rb", ".lua", ".yaml", ".json", ".toml", ".txt", ".css", ".php", ".lisp", ".sql", ".hs", ""}
	for i, s := range []string{goSample, pythonSample, jsSample, cSample, "a: -1\n", "x = (((\n", "\"\"\"", "`", "'", "0x", "1e", "-.5", "1.2.3.", "/*", "if:\n\tx", "\xff\xfe1", "{[(0)]}", "a--1", "..5", "0_1_", "1_", "9999999999999999999999", "1e999", "/1/2", "--[[ 1", "x\\\n1"} {
		for j := range 3 {
			f.Add(s, "y = 2.5\n", uint8(i+j*5), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, src, other string, ext, seed uint8) {
		name := "dir/file" + exts[int(ext)%len(exts)]
		root := newTree(map[string]string{name: src, "outside" + name[8:]: src})
		donor := newTree(map[string]string{name: other, "dir/more" + name[8:]: other})
		for i, op := range operators {
			j := newJob(int(seed)*8+i, op, root, donor)
			j.Scope = func(p string) bool { return p == name }
			j.Failures = []agent.Failure{{Text: other}}
			res, err := offline.New(offline.Options{}).Edit(context.Background(), j, root)
			if errors.Is(err, agent.ErrNoChange) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", op, err)
			}
			for _, c := range res.Changes {
				if c.Path != name || string(c.Data) == src {
					t.Fatalf("%s: %s changed %s", op, res.Intent, c.Path)
				}
			}
			for _, b := range []byte(res.Intent) {
				if b < ' ' || b == 0x7f {
					t.Fatalf("%s: intent %q", op, res.Intent)
				}
			}
		}
	})
}
