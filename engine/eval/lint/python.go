package lint

import (
	"path"
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
	imports  = regexp.MustCompile(`^\s*(?:from\s+([A-Za-z_][\w.]*)\s+import\b\s*\(?([\w ,]*)|import\s+([A-Za-z_][\w., ]*))`)
	dynamic  = regexp.MustCompile(`\b(?:import_module|__import__)\(\s*["']([A-Za-z_][\w.]*)["']`)
	renames  = regexp.MustCompile(`(?m)^\s*(?:from\s+(?:subprocess|os)\s+import\s+(.+)|import\s+(?:subprocess|os)\s+as\s+(\w+))`)
	starting = regexp.MustCompile(`^\s*(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput|system|popen)(?:\s+as\s+(\w+))?\s*$`)
	loads    = regexp.MustCompile(`(?:^|[^\w.])((?:exec|eval|execfile)\(|runpy\.run_path\(|imp\.load_source\(|SourceFileLoader\(|(?:\w+\.)*spec_from_file_location\(|(?:ctypes\.)?(?:CDLL|PyDLL)\(\s*["']\.|(?:ctypes\.)?cdll\.LoadLibrary\(\s*["']\.)`)
	thaws    = regexp.MustCompile(`(?:^|[^\w.])((?:pickle|cPickle|dill|cloudpickle|joblib|torch)\.loads?\(|shelve\.open\(|\w+\.load\(.*allow_pickle\s*=\s*True|pandas\.read_pickle\(|pd\.read_pickle\()`)
	shells   = `\(\s*[rbfu]*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')` // what a shell is given
	quoted   = regexp.MustCompile(`["']([^"'\s]+)["']`)
)

// checkPython looks at the lines of a script that start programs or load modules.
// Texts of several lines, such as programs that the launcher is given, are left out.
func checkPython(s Script, tree Tree) []Finding {
	blank := func(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }
	code := comment.ReplaceAllString(longText.ReplaceAllStringFunc(s.Text, blank), "")
	names := starters(code)
	starts, shell := regexp.MustCompile(names+`\(`), regexp.MustCompile(names+shells)
	beside := "."
	if !s.Outside {
		beside = path.Dir(s.Name)
	}
	var out []Finding
	lines := strings.Split(code, "\n")
	for n, line := range lines {
		add := func(what, cure string) {
			out = append(out, Finding{Script: s.Name, Line: n + 1, What: what, Cure: cure})
		}
		for _, module := range imported(line) {
			if tree.imports(beside, module) {
				add("imports "+module+", which a candidate may change, into the evaluator: it can change what measures it", launchCure)
				break // one of a line is enough
			}
		}
		if at := loads.FindStringSubmatchIndex(line); at != nil && !quotedAt(line, at[2]) {
			name, _, _ := strings.Cut(line[at[2]:at[3]], "(")
			add(name+" loads code into the evaluator: where it is the candidate's, it can change what measures it", launchCure)
		}
		if at := thaws.FindStringSubmatchIndex(line); at != nil && !quotedAt(line, at[2]) {
			name, _, _ := strings.Cut(line[at[2]:at[3]], "(")
			add(name+" calls what the bytes name: where a candidate wrote them, its code runs in the evaluator", "have the candidate write JSON or plain numbers")
		}
		if m := shell.FindStringSubmatch(line); m != nil {
			found := checkShell(Script{Name: s.Name, Text: m[1] + m[2]}, tree)
			for _, f := range found {
				add(f.What, f.Cure)
			}
			if len(found) > 0 {
				continue
			}
		}
		if !starts.MatchString(line) || strings.Contains(code, "ATOLL_RUN") {
			continue
		}
		if found := checkShell(Script{Text: commandLine(line[starts.FindStringIndex(line)[1]-1:], lines[n+1:])}, tree); len(found) > 0 {
			add(found[0].What, strings.ReplaceAll(found[0].Cure, "\"$ATOLL_RUN\"", "os.environ[\"ATOLL_RUN\"]"))
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

// imported are the modules that a line loads by their names.
func imported(line string) []string {
	if m := imports.FindStringSubmatch(line); m != nil {
		var list []string
		for one := range strings.SplitSeq(m[2]+m[3], ",") {
			if words := strings.Fields(one); len(words) > 0 {
				list = append(list, words[0])
			}
		}
		if m[1] == "" {
			return list
		}
		for i, name := range list {
			list[i] = m[1] + "." + name // where it is a module of a package
		}
		return append([]string{m[1]}, list...)
	}
	at := dynamic.FindStringSubmatchIndex(line)
	if at == nil {
		return nil
	}
	if quotedAt(line, at[0]) {
		return nil // such as a program for the launcher
	}
	return []string{line[at[2]:at[3]]}
}

// quotedAt reports that a place of a line is part of a text.
func quotedAt(line string, at int) bool {
	return strings.Count(line[:at], "\"")%2 == 1 || strings.Count(line[:at], "'")%2 == 1
}

var (
	listed = regexp.MustCompile(`^\(\s*\[([^\[\]]*)\]`)
	word   = regexp.MustCompile(`^[rbu]*(?:"([^"\\]*)"|'([^'\\]*)')$`)
)

// commandLine is the list of words that a call begins with, from its parenthesis on, as
// a shell would be told; a word that is not written out is a variable there.
func commandLine(call string, further []string) string {
	m := listed.FindStringSubmatch(call + " " + strings.Join(further[:min(len(further), 12)], " "))
	if m == nil {
		return ""
	}
	var out []string
	for one := range strings.SplitSeq(m[1], ",") {
		if w := word.FindStringSubmatch(strings.TrimSpace(one)); w == nil {
			out = append(out, `"$x"`)
		} else {
			out = append(out, "'"+strings.ReplaceAll(w[1]+w[2], "'", `'\''`)+"'")
		}
	}
	return strings.Join(out, " ")
}

// starters is an expression for the functions of a script that start programs, by
// the names that its imports give them.
func starters(code string) string {
	list := []string{`subprocess\.\w+`, `os\.system`, `os\.popen`, `Popen`, `check_output`, `check_call`}
	for _, m := range renames.FindAllStringSubmatch(code, -1) {
		if m[2] != "" {
			list = append(list, m[2]+`\.(?:run|call|check_\w+|Popen|get\w*output|system|popen)`)
		}
		for one := range strings.SplitSeq(strings.Trim(m[1], "() "), ",") {
			if as := starting.FindStringSubmatch(one); as != nil {
				name := as[1]
				if name == "" {
					name = strings.TrimSpace(one)
				}
				list = append(list, name)
			}
		}
	}
	return `\b(?:` + strings.Join(list, "|") + `)`
}
