package tree

import "testing"

func TestBadTreePaths(t *testing.T) {
	for path, bad := range map[string]bool{
		"a": false, "a/b.txt": false, ".gitignore": false, "a/.github/x": false, "a\nb": false, "...": false,
		"": true, "/a": true, "a/": true, "a//b": true, "..": true, "a/../b": true, "./a": true, ".git": true, "a/.GIT/b": true,
		".git.": true, ".git ": true, "GIT~1": true, "a\x00b": true,
	} {
		if got := BadPath(path); got != bad {
			t.Errorf("badPath(%q) = %v, want %v", path, got, bad)
		}
	}
}
