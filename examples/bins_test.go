package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBinsAreCountedByTheEvaluator(t *testing.T) {
	dir, l := copyOf(t, "bin-packing")
	l.Evaluator.Stages = nil // the quick stage has its own test
	original, err := os.ReadFile(filepath.Join(dir, "packing", "packer.go"))
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Index(string(original), "\tfree := p.choose(item)")
	end := strings.Index(string(original), "// choose returns")
	for _, c := range []struct{ name, body, want string }{
		{"every item into one bin", "return 0", "which has"},
		{"a bin that is not open yet", "p.bins += 2\n\treturn p.bins", "but only 0 are open"},
		{"a negative bin", "return -1", "are open"},
		{"a program that ends", "panic(\"lost\")", "no answer"},
		{"a new bin for every item", "p.bins++\n\treturn p.bins - 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := string(original[:start]) + "\t" + c.body + "\n}\n\n" + string(original[end:])
			if err := os.WriteFile(filepath.Join(dir, "packing", "packer.go"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			r, complaint := measure(t, dir, l)
			if c.want == "" {
				if complaint != "" || r.value(t, "bins") != 4*5000 {
					t.Errorf("bins = %+v, complaint %q, want one for each of 20000 items", r, complaint)
				}
				return
			}
			if !strings.Contains(complaint, c.want) {
				t.Errorf("complaint = %q, want %q", complaint, c.want)
			}
		})
	}
}

func TestTheQuickStageStopsWhatDoesNotPack(t *testing.T) {
	dir, l := copyOf(t, "bin-packing")
	file := filepath.Join(dir, "packing", "priority.go")
	original, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, replacement, want string }{
		{"code that does not compile", "return worthOf(free - item)", "return worthOf(free, item)", "too many arguments"},
		{"code that fails go vet", "return worthOf(free - item)", "worth = worth\n\treturn worthOf(free - item)", "self-assignment"},
		{"an index beyond the table", "worthOf(free - item)", "worth[free-item]", "index out of range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.ReplaceAll(string(original), c.old, c.replacement)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, complaint := measure(t, dir, l); !strings.Contains(complaint, c.want) {
				t.Errorf("complaint = %q, want %q", complaint, c.want)
			}
		})
	}
}
