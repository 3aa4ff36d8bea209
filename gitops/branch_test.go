package gitops_test

import (
	"os/exec"
	"strings"
	"testing"

	"atoll/gitops"
)

func TestANameOfABranchIsLegalWhateverTheText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"packing-c12": "packing-c12", "make it *fast*: ~now^": "make-it-fast-now", "..": "candidate", "": "candidate", "@{-1}": "1", "@": "candidate",
		"-rf": "rf", ".hidden": "hidden", "a..b": "a.b", "a.lock": "a", "a.lock.lock-": "a", ".lock": "lock", "a/../b": "a-b", "x\x00\x1b[31m\n": "x-31m",
		"größer": "größer", "a\\b?c[d]": "a-b-c-d", "\xff\xfe": "candidate", "end.": "end", "HEAD": "HEAD", "x.-.y": "x.y", strings.Repeat("é", 300): strings.Repeat("é", 50),
	} {
		got := gitops.BranchName(text)
		if got != want {
			t.Errorf("%q becomes %q; want %q", text, got, want)
		}
		if err := exec.Command("git", "check-ref-format", "--branch", "atoll/"+got).Run(); err != nil {
			t.Errorf("git refuses %q, made of %q", got, text)
		}
	}
}

func FuzzBranchName(f *testing.F) {
	f.Add("a.lock")
	f.Add("x.-.lock\x7f")
	f.Fuzz(func(t *testing.T, text string) {
		name := gitops.BranchName(text)
		if name == "" || len(name) > 100 || strings.ContainsAny(name, " ~^:?*[\\/@{\x7f") || strings.Contains(name, "..") ||
			strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, ".lock") {
			t.Errorf("%q becomes %q", text, name)
		}
	})
}
