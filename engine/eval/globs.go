package eval

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// tidyGlob accepts the spellings "./a", "/a" and "a/" of a glob.
func tidyGlob(g string) string {
	return strings.TrimRight(strings.TrimLeft(strings.TrimPrefix(g, "./"), "/"), "/")
}

// matchGlobs reports whether any glob covers a path, without regard to case; a
// glob that names a folder covers everything beneath it.
func matchGlobs(globs []string, name string) bool {
	name = strings.ToLower(name)
	for _, g := range globs {
		g = strings.ToLower(tidyGlob(g))
		if g != "" && (doublestar.MatchUnvalidated(g, name) || doublestar.MatchUnvalidated(g+"/**", name)) {
			return true
		}
	}
	return false
}
