package sandbox

import "strings"

// inside reports that path is dir or lies in it.
func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
