package offline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
)

// patternShare is how often a job after the first compiles the patterns of one file.
const patternShare = 0.2

// patterns has functions of Python use expressions that are compiled once for their
// module, instead of asking package re for them at each call: the first job in all
// files, later ones at times in one.
func (e *editing) patterns() bool {
	type change struct {
		path string
		data []byte
		n    int
	}
	var all []change
	if target := e.job.Target; target.Symbol != "" { // what is compiled stands outside of every function
		e.job.Target.Symbol = ""
		defer func() { e.job.Target = target }()
	}
	if scope := e.job.Scope; e.job.Number == 1 && e.job.Everywhere != nil {
		target := e.job.Target
		e.job.Scope, e.job.Target, e.ready, e.picked = e.job.Everywhere, agent.Target{}, false, nil
		defer func() { e.job.Scope, e.job.Target, e.ready, e.picked = scope, target, false, nil }()
	}
	for _, p := range e.picks() {
		if p.l.Name != "python" || e.stop() {
			continue
		}
		if s, ok := e.load(p); ok && s.Lo == 0 && s.Hi == len(s.Data) && !(idioms{e}).frozenFile(s.Path()) {
			if data, n := compiledOnce(s); n > 0 && int64(len(data)) <= e.limits.maxBytes && e.valid(s, data) {
				all = append(all, change{s.Path(), data, n})
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	if e.job.Number != 1 {
		if e.rng.Float64() >= patternShare {
			return false
		}
		all = all[e.rng.IntN(len(all)):][:1]
	}
	for _, c := range all {
		e.put(c.path, c.data, fmt.Sprintf("idiom: %d expressions of %s compiled once", c.n, c.path))
	}
	return true
}

// mostArgs is how many arguments a function of package re has besides flags.
var mostArgs = map[string]int{"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 2, "sub": 3, "subn": 3}

// compiledOnce rewrites the calls of functions of package re whose expression is
// one literal. It changes nothing where the module uses the name re for anything else.
func compiledOnce(s *language.Source) (data []byte, n int) {
	at := importOfRe(s)
	if at < 0 {
		return nil, 0
	}
	text := func(i int) string {
		if i < 0 || i >= len(s.Toks) {
			return ""
		}
		return s.Toks[i].Text(s.Data)
	}
	names := map[string]string{} // of constants by their expression
	var edits []textEdit
	declared := ""
	for i := range s.Toks {
		if text(i) != "re" || text(i+1) != "." || text(i+3) != "(" || text(i-1) == "." || mostArgs[text(i+2)] == 0 || !indented(s.Data, s.Toks[i].Start) {
			continue
		}
		expr, end, ok := literalCall(s, i+3, mostArgs[text(i+2)])
		if !ok {
			continue
		}
		name := names[expr]
		for k := len(names) + 1; name == ""; k++ {
			if try := fmt.Sprintf("_EXPRESSION_%d", k); !bytes.Contains(s.Data, []byte(try)) && !strings.Contains(declared, try+" ") {
				name, names[expr] = try, try
				declared += name + " = re.compile(" + expr + ")\n"
			}
		}
		edits = append(edits, textEdit{s.Toks[i].Start, s.Toks[i].End, name}, textEdit{s.Toks[i+3].End, end, ""})
		n++
	}
	if n == 0 {
		return nil, 0
	}
	// Behind all that the module imports: nothing stands between.
	return applyEdits(s.Data, append(edits, textEdit{at, at, declared})), n
}

// importOfRe is the end of the line that imports re; -1 where the module does not,
// or means something else by that name at times.
func importOfRe(s *language.Source) int {
	at := -1
	for i, t := range s.Toks {
		if t.Text(s.Data) != "re" || i > 0 && s.Toks[i-1].Text(s.Data) == "." {
			continue
		}
		if i+1 < len(s.Toks) && s.Toks[i+1].Text(s.Data) == "." {
			continue
		}
		line := language.LineAt(s.Data, t.Start)
		if at >= 0 || strings.TrimRight(string(s.Data[line[0]:line[1]]), "\r\n") != "import re" {
			return -1
		}
		at = line[1]
	}
	return at
}

// indented reports whether a place lies in a block: what stands at the margin runs
// once anyway.
func indented(data []byte, at int) bool {
	from := language.LineAt(data, at)[0]
	return from < len(data) && (data[from] == ' ' || data[from] == '\t')
}

// literalCall reads the first argument of a call whose parenthesis is token open: its
// text and the start of the second one. ok is false where it is no plain literal, or
// the call has other than the given number of arguments.
func literalCall(s *language.Source, open, args int) (expr string, end int, ok bool) {
	depth, commas, first := 0, 0, -1
	for i := open; i < len(s.Toks); i++ {
		t := s.Toks[i]
		text := t.Text(s.Data)
		switch {
		case t.Kind == language.Open:
			depth++
		case t.Kind == language.Close:
			if depth--; depth == 0 {
				return expr, end, ok && first >= 0 && commas == args-1
			}
		case depth == 1 && text == ",":
			if commas++; commas == 1 {
				if first < 0 || i+1 >= len(s.Toks) {
					return "", 0, false
				}
				expr, end, ok = string(s.Data[s.Toks[first].Start:s.Toks[i-1].End]), s.Toks[i+1].Start, true
			}
			if i+1 < len(s.Toks) && s.Toks[i+1].Kind == language.Close { // a comma at the end
				commas--
			}
		case commas == 0:
			plain := t.Kind == language.String && !strings.HasPrefix(strings.ToLower(text), "f") || slices.Contains([]string{"r", "b", "rb", "br", "R"}, text)
			if depth != 1 || !plain {
				return "", 0, false
			}
			if first < 0 {
				first = i
			}
		case text == "flags" || depth == 1 && (text == "*" || text == "**") && s.Toks[i-1].Text(s.Data) == ",":
			return "", 0, false
		}
	}
	return "", 0, false
}
