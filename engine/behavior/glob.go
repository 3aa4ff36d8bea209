package behavior

import "strings"

// pattern is one line of an ignore file, in the syntax of gitignore(5).
type pattern struct {
	segments []string // "**" stands for any number of folders
	anchored bool     // else it is one segment, good at any depth
	folder   bool     // matches folders only
	negated  bool
}

// parsePattern reads a line; false for a comment or an empty one.
func parsePattern(line string) (pattern, bool) {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !escapedEnd(line) {
		line = line[:len(line)-1]
	}
	var p pattern
	switch {
	case line == "" || line[0] == '#':
		return p, false
	case line[0] == '!':
		p.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.folder, line = true, strings.TrimRight(line, "/")
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	p.segments = strings.Split(line, "/")
	return p, true
}

// escapedEnd reports whether the last character is quoted by a backslash.
func escapedEnd(line string) bool {
	n := 0
	for i := len(line) - 2; i >= 0 && line[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// match reports whether the pattern names this very path, given by segments.
func (p pattern) match(path []string, folder bool) bool {
	if p.folder && !folder {
		return false
	}
	if !p.anchored {
		return matchSegment(p.segments[0], path[len(path)-1])
	}
	return matchPath(p.segments, path)
}

// matchPath matches segments; ** may go back to its last place only, which is
// enough, as every other segment takes exactly one. A ** at the end needs
// something to stand for.
func matchPath(pats, path []string) bool {
	i, j, star, mark := 0, 0, -1, 0
	for j < len(path) {
		switch {
		case i < len(pats) && pats[i] == "**":
			if i == len(pats)-1 {
				return true
			}
			star, mark = i, j
			i++
		case i < len(pats) && matchSegment(pats[i], path[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return i == len(pats)
}

// matchSegment matches one name with *, ?, [classes] and \ quoting, by bytes.
func matchSegment(pat, name string) bool {
	i, j, star, mark := 0, 0, -1, 0
	for j < len(name) {
		if i < len(pat) && pat[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if width := matchOne(pat[i:], name[j]); width > 0 {
			i += width
			j++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
	for i < len(pat) && pat[i] == '*' {
		i++
	}
	return i == len(pat)
}

// matchOne matches one byte and returns how much of the pattern it took, 0 for
// no match.
func matchOne(pat string, c byte) int {
	if pat == "" {
		return 0
	}
	switch pat[0] {
	case '?':
		return 1
	case '\\':
		if len(pat) > 1 && pat[1] == c {
			return 2
		}
		return 0
	case '[':
		if width, in := matchClass(pat, c); width > 0 {
			if in {
				return width
			}
			return 0
		}
	}
	if pat[0] == c {
		return 1
	}
	return 0
}

// matchClass reads a class such as [a-z], [!0-9] or [^x]; width 0 means that it
// is not closed and [ stands for itself.
func matchClass(pat string, c byte) (width int, in bool) {
	i, not := 1, false
	if i < len(pat) && (pat[i] == '!' || pat[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(pat); first = false {
		if pat[i] == ']' && !first {
			return i + 1, in != not
		}
		low, n := classByte(pat[i:])
		i += n
		high := low
		if i+1 < len(pat) && pat[i] == '-' && pat[i+1] != ']' {
			high, n = classByte(pat[i+1:])
			i += 1 + n
		}
		if low <= c && c <= high {
			in = true
		}
	}
	return 0, false
}

func classByte(s string) (byte, int) {
	if s[0] == '\\' && len(s) > 1 {
		return s[1], 2
	}
	return s[0], 1
}
