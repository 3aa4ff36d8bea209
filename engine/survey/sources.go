package survey

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"atoll/config"
)

// sources tells which files hold code that may be improved, by their names alone.
type sources struct {
	scope []string // globs; none: the usual endings
	files []string // of the repository
}

func (s sources) has(f string) bool {
	if strings.HasSuffix(f, ".d.ts") { // declares types, and runs nothing
		return false
	}
	if len(s.scope) == 0 {
		return slices.Contains([]string{".py", ".go", ".c", ".h", ".cc", ".cpp", ".rs", ".js", ".mjs", ".ts", ".java", ".rb", ".jl", ".sh"}, path.Ext(f))
	}
	return covered(s.scope, f)
}

// benchFolder finds folders of benchmarks, and program what can be run in one.
var (
	benchFolder = regexp.MustCompile(`(?i)^(?:bench|benches|benchmarks?|perf)$`)
	program     = regexp.MustCompile(`(?i)\.(?:js|mjs|cjs|ts|mts|py|sh)$`)
	noProgram   = regexp.MustCompile(`(?i)\.(?:d|test|spec)\.\w+$|^_`)
)

// benchmarksBeside are programs in folders of benchmarks that no choice runs.
func benchmarksBeside(l *Lab, choices []config.Choice) []string {
	var out []string
	for _, f := range l.Files {
		runs := func(c config.Choice) bool {
			return slices.Contains(c.Command, f) || strings.Contains(l.npmScript(c.Command)+" ", f+" ")
		}
		if benchFolder.MatchString(path.Base(path.Dir(f))) && program.MatchString(f) && !noProgram.MatchString(path.Base(f)) && !slices.ContainsFunc(choices, runs) {
			out = append(out, f)
		}
	}
	return out
}

// mostlyIn reports whether a folder holds most of them: then it is not the
// evaluator's own.
func (s sources) mostlyIn(dir string) bool {
	in, all := 0, 0
	for _, f := range s.files {
		if s.has(f) {
			all++
			if path.Dir(f) == dir {
				in++
			}
		}
	}
	return 2*in > all
}
