package lint

import (
	"regexp"
	"strings"
)

// kind is the language of a script, "" for one that is not read.
func kind(s Script) string {
	first, _, _ := strings.Cut(s.Text, "\n")
	switch {
	case strings.HasSuffix(s.Name, ".py"):
		return "python"
	case strings.HasSuffix(s.Name, ".sh"):
		return "shell"
	case !strings.HasPrefix(first, "#!"):
		return ""
	case strings.Contains(first, "python"):
		return "python"
	case strings.HasSuffix(first, "sh") || strings.Contains(first, "sh "):
		return "shell"
	}
	return ""
}

var (
	longText = regexp.MustCompile(`(?s)""".*?"""|'''.*?'''`)
	comment  = regexp.MustCompile(`(?m)^\s*#.*$`)
	imports  = regexp.MustCompile(`^\s*(?:import|from)\s+([A-Za-z_][\w.]*)`)
	loads    = regexp.MustCompile(`\b(exec\(\s*(?:open|compile)\(|runpy\.run_path\()`)
	starts   = regexp.MustCompile(`\b(?:subprocess\.\w+|os\.system|os\.popen|Popen|check_output|check_call)\(`)
	quoted   = regexp.MustCompile(`["']([^"'\s]+)["']`)
)

// checkPython looks at the lines of a script that start programs or load modules.
// Texts of several lines, such as programs that the launcher is given, are left out.
func checkPython(s Script, tree Tree) []Finding {
	blank := func(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }
	code := comment.ReplaceAllString(longText.ReplaceAllStringFunc(s.Text, blank), "")
	var out []Finding
	for n, line := range strings.Split(code, "\n") {
		add := func(what, cure string) {
			out = append(out, Finding{Script: s.Name, Line: n + 1, What: what, Cure: cure})
		}
		if m := imports.FindStringSubmatch(line); m != nil {
			module := strings.ReplaceAll(m[1], ".", "/")
			if name := module + ".py"; tree.Has(name) && tree.foreign(name) {
				add("imports "+m[1]+", which a candidate may change, into the evaluator: it can change what measures it", launchCure)
			}
		}
		if m := loads.FindStringSubmatch(line); m != nil {
			add(strings.TrimRight(m[1], "(")+" loads code into the evaluator: where it is the candidate's, it can change what measures it", launchCure)
		}
		if !starts.MatchString(line) || strings.Contains(code, "ATOLL_RUN") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			if strings.Contains(m[1], ".") && (strings.HasPrefix(m[1], "./") || tree.Has(m[1])) && tree.foreign(m[1]) {
				add("starts "+m[1]+" with the evaluator's rights", strings.ReplaceAll(launchCure, "\"$ATOLL_RUN\"", "os.environ[\"ATOLL_RUN\"]"))
				break
			}
		}
	}
	return out
}
