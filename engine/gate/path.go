package gate

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"atoll/store/record"
)

// validGlob reports whether a glob can be read. An empty one cannot.
func validGlob(glob string) bool {
	g := tidy(glob)
	return g != "" && doublestar.ValidatePattern(g)
}

// match reports whether any glob covers a path, without regard to case. A glob
// that names a folder covers everything beneath it.
func match(globs []string, name string) bool {
	name = strings.ToLower(name)
	for _, g := range globs {
		if matchOne(strings.ToLower(tidy(g)), name) {
			return true
		}
	}
	return false
}

// MatchExact is Match with regard to case.
func MatchExact(globs []string, name string) bool {
	for _, g := range globs {
		if matchOne(tidy(g), name) {
			return true
		}
	}
	return false
}

func matchOne(glob, name string) bool {
	if glob == "" {
		return false
	}
	return doublestar.MatchUnvalidated(glob, name) || doublestar.MatchUnvalidated(glob+"/**", name)
}

// Allows reports whether candidates may change a file: it is within the scope,
// and neither protected nor forbidden. What kind of change that may be is
// [Check]'s to say.
func (p Policy) Allows(name string) bool {
	if match([]string{ConfigFile}, name) || match(p.Protected, name) || match(p.Forbidden, name) {
		return false
	}
	return len(p.Scope) == 0 || MatchExact(p.Scope, name)
}

// covers reports whether an entry at name would stand where a folder on the
// way to a guarded path must be: a file or link "tests" takes the place of
// everything a glob such as tests/eval_*.py guards.
func covers(globs []string, name string) bool {
	name = strings.ToLower(name)
	for _, g := range globs {
		base, _ := doublestar.SplitPattern(strings.ToLower(tidy(g)))
		if base == name || strings.HasPrefix(base, name+"/") {
			return true
		}
	}
	return false
}

// tidy accepts the spellings "./a", "/a" and "a/" of a glob.
func tidy(glob string) string {
	glob = strings.TrimPrefix(glob, "./")
	glob = strings.TrimLeft(glob, "/")
	return strings.TrimRight(glob, "/")
}

// badPath says why a path cannot be in a tree, or nothing.
func badPath(p string) string {
	switch {
	case p == "":
		return "it is empty"
	case strings.HasPrefix(p, "/"):
		return "it is absolute"
	case len(p) > 4096:
		return "it is longer than 4,096 bytes"
	case strings.Contains(p, "\\"):
		return "a backslash is a separator on some systems"
	}
	for _, r := range p {
		if r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return "it holds a control character"
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "":
			return "it has an empty component"
		case part == "." || part == "..":
			return "it has a " + part + " component"
		case isDotGit(part):
			return "it is inside git's own folder"
		case len(part) > 255:
			return "a component is longer than 255 bytes"
		}
	}
	return ""
}

// isDotGit tells the spellings that some file system takes for .git: any case,
// trailing dots and blanks (NTFS), the short name git~1 (NTFS), an alternate
// stream (NTFS) and ignorable code points (HFS+).
func isDotGit(part string) bool {
	part = bare(part)
	if i := strings.IndexByte(part, ':'); i >= 0 {
		part = part[:i]
	}
	part = strings.TrimRight(part, " .")
	return part == ".git" || part == "git~1"
}

// bare folds case and drops code points that file systems ignore.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) && r >= 0xfe00 && r <= 0xfe0f {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// fold is the key under which two names are one on a system that folds case.
func fold(p string) string { return strings.ToLower(strings.ToUpper(p)) }

// leads reports that a link inside the tree ends at a protected file, or at a folder
// that holds one: whoever follows it would read what the candidate may not. A part of
// the way may be another link of the candidate, so every end of the path is tried.
func leads(globs []string, link, target string) bool {
	for at := path.Join(path.Dir(link), target); ; {
		if at == "." || match(globs, at) || covers(globs, at) {
			return len(globs) > 0
		}
		_, rest, more := strings.Cut(at, "/")
		if !more {
			return false
		}
		at = rest
	}
}

// badTarget says why a symbolic link may not point at target, or nothing. Git
// never walks through a link to reach a path, so the folder of the link is a
// real one and leading ".." climb exactly; a ".." after a name could leave
// through another link, so it is refused.
func badTarget(link, target string) string {
	switch {
	case target == "":
		return "it points nowhere"
	case strings.HasPrefix(target, "/") || strings.Contains(target, "\\") || strings.HasPrefix(target, "~"):
		return "it is absolute"
	case strings.Contains(target, ":"):
		return "it names a drive or a stream on some systems"
	}
	for _, r := range target {
		if r < 0x20 || r == 0x7f {
			return "it holds a control character"
		}
	}
	depth, named := strings.Count(link, "/"), false
	for part := range strings.SplitSeq(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == "..":
			if named {
				return "it climbs after a name, which another link could lead astray"
			}
			if depth--; depth < 0 {
				return "it leaves the tree"
			}
		case isDotGit(part):
			return "it points into git's own folder"
		default:
			named = true
		}
	}
	return ""
}

// gitFiles looks at files that steer git or the forge that hosts the
// repository. A scope that names them by their literal beginning allows them.
func (c *checker) gitFiles(d *record.FileDiff) {
	first, _, _ := strings.Cut(bare(d.Path), "/")
	base := strings.TrimRight(bare(path.Base(d.Path)), " .")
	name := quote(d.Path)
	switch {
	case base == ".gitattributes":
		c.add(true, RuleGit, d.Path, "%s changes how git reads and writes files", name)
	case base == ".gitmodules":
		c.add(true, RuleGit, d.Path, "%s links other repositories", name)
	case base == ".gitignore" || base == ".gitkeep" || base == ".git-blame-ignore-revs":
		if base == ".gitignore" {
			c.add(false, RuleGit, d.Path, "%s changes which files git leaves out", name)
		}
	case strings.HasPrefix(base, ".git") || strings.HasPrefix(first, ".git"):
		hard := !named(c.policy.Scope, d.Path)
		c.add(hard, RuleGit, d.Path, "%s steers git or the forge, where it would run with the forge's rights", name)
	}
}

// named reports whether a scope glob mentions a dotted name of git literally,
// as .github/** does and ** does not.
func named(scope []string, p string) bool {
	for _, g := range scope {
		if g = tidy(g); strings.Contains(g, ".git") && matchOne(g, p) {
			return true
		}
	}
	return false
}

// quote makes a name fit for a message: control characters escaped, length
// bounded, plain names as they are.
func quote(s string) string {
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return strconv.QuoteToGraphic(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
