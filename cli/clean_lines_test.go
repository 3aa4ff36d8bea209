package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderWithALinesEndAndAnEscapeBreaksNoPrintedLine(t *testing.T) {
	t.Parallel()
	small := newSmall(t)
	dir := filepath.Join(filepath.Dir(small), "fo\nld\x1b[31m")
	if err := os.Rename(small, dir); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--headless", "--max-jobs", "2"}, {"status"}, {"export", "a\n\x1b[31mb.csv"}, {"export", "a\n\x1b[31mb.csv"}} {
		c := atoll(t, dir, args...)
		if strings.ContainsRune(c.out+c.err, 0x1b) || strings.Contains(c.out+c.err, "fo\nld") || strings.Contains(c.out+c.err, "a\nb") {
			t.Errorf("%q printed %q %q", args, c.out, c.err)
		}
		if args[0] != "export" && !strings.Contains(c.out, "fo-ld-[31m") {
			t.Errorf("%q does not name the experiment: %q %q", args, c.out, c.err)
		}
	}
}
