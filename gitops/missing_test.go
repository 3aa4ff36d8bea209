package gitops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/gitops"
)

func TestAnObjectThatIsMissingOrDamagedIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		object string
		harm   func(path string) error
	}{
		"a file that is missing":                   {"HEAD:sub/f7.txt", os.Remove},
		"a folder that is missing":                 {"HEAD:sub", os.Remove},
		"the tree of HEAD":                         {"HEAD^{tree}", os.Remove},
		"the commit of HEAD":                       {"HEAD", os.Remove},
		"attributes that are looked at beforehand": {"HEAD:.gitattributes", os.Remove},
		"a file that is damaged": {"HEAD:sub/f7.txt", func(path string) error {
			return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("no object"), 0o600))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			files := map[string]string{".gitattributes": "*.txt text\n"}
			for i := range 1200 { // as many as git tells its progress of, again and again
				files[fmt.Sprintf("sub/f%d.txt", i)] = fmt.Sprint(i)
			}
			r.commit(files)
			object := strings.TrimSpace(r.run("rev-parse", c.object))
			if err := c.harm(filepath.Join(r.dir, ".git", "objects", object[:2], object[2:])); err != nil {
				t.Fatal(err)
			}
			target, err := gitops.Inspect(t.Context(), r.dir)
			if err == nil {
				_, err = openStore(t).Import(t.Context(), target, "HEAD")
			}
			var refusal *gitops.Refusal
			if !errors.Is(err, gitops.ErrMissing) || !errors.As(err, &refusal) {
				t.Fatalf("got %v", err)
			}
			if text := err.Error(); !strings.Contains(text, object) || !strings.Contains(text, "git fsck --full") || strings.ContainsAny(text, "\r\n%") {
				t.Errorf("it says %q", text)
			}
		})
	}
}
