package gate

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"atoll/store/record"
)

// ConfigFile is the configuration of an experiment. It is read once, when the
// experiment starts, and no candidate may touch it in any spelling.
const ConfigFile = "atoll.yaml"

// The rules, as findings name them.
const (
	RulePolicy     = "policy"     // a glob of the policy itself is malformed
	RulePath       = "path"       // a name that no checkout should see
	RuleProtected  = "protected"  // always taken from the root
	RuleScope      = "scope"      // outside what a candidate may change
	RuleForbidden  = "forbidden"  // may never be added or changed
	RuleFiles      = "files"      // too many changed files
	RuleLines      = "lines"      // too many changed lines
	RuleSize       = "size"       // one file too large
	RuleSymlink    = "symlink"    // a link out of the tree, or any link at all
	RuleSubmodule  = "submodule"  // another repository linked in or out
	RuleGit        = "git"        // files that steer git or a forge
	RuleTwin       = "twin"       // two names that differ by case only
	RuleExecutable = "executable" // the executable bit changed
	RuleBinary     = "binary"     // content a person cannot read
	RuleChannel    = "channel"    // names the channel of the measurement
	RuleClock      = "clock"      // writes to what tells the time or prints it
	RuleOperator   = "operator"   // more than this operator is expected to do
)

// Policy says what a diff may touch. The zero value protects [ConfigFile] and
// git's own files and limits nothing else.
//
// Globs are slash separated and relative to the top of the tree, with ** for
// any number of folders; one that names a folder covers everything beneath it.
// Protected and Forbidden match without regard to case, Scope exactly.
type Policy struct {
	Protected    []string
	Scope        []string // none: everything but the protected
	Forbidden    []string
	MaxFiles     int   // changed files; 0 = no limit
	MaxLines     int   // added plus removed lines; 0 = no limit
	MaxFileBytes int64 // size of one changed file; 0 = no limit

	// Twin returns a path of the parent's tree that equals the given one but
	// for case. It may be nil: then only the paths of the diff itself are
	// compared with one another.
	Twin func(path string) (string, bool)
}

// Finding is one rule that a diff touches. Text is one plain sentence without
// control characters; Path is empty when the finding is about the whole diff.
type Finding struct {
	Rule string `json:"rule"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
	Hard bool   `json:"hard"`
}

// Verdict is what the gate says about one diff. Rejected is true when any
// finding is hard. Findings stand in the order of the paths, hard ones first.
type Verdict struct {
	Rejected bool      `json:"rejected"`
	Findings []Finding `json:"findings,omitempty"`
}

// Reason returns the first hard finding as one line, or nothing.
func (v Verdict) Reason() string {
	for _, f := range v.Findings {
		if f.Hard {
			more := 0
			for _, g := range v.Findings {
				if g.Hard {
					more++
				}
			}
			if more > 1 {
				return fmt.Sprintf("%s (and %d more)", f.Text, more-1)
			}
			return f.Text
		}
	}
	return ""
}

// Check compares a diff with the policy. diffs are the paths that differ from
// the parent, changes the same paths with their new content (a path missing
// there is judged by its diff alone), op the operator that made them.
//
// A rename is the removal of one path and the appearance of another: both are
// checked, so moving a protected file away, or another file into its place, is
// refused alike.
func Check(p Policy, diffs []record.FileDiff, changes []record.Change, op record.Operator) Verdict {
	c := checker{
		policy: p,
		rules:  rulesOf(op),
		op:     op,
		data:   make(map[string]*record.Change, len(changes)),
	}
	for i := range changes {
		c.data[changes[i].Path] = &changes[i]
	}
	c.globs()
	for i := range diffs {
		c.path(&diffs[i])
	}
	c.unseen(diffs, changes)
	c.twins(diffs)
	c.counts(diffs)
	return c.verdict()
}

type checker struct {
	policy Policy
	rules  rules
	op     record.Operator
	data   map[string]*record.Change
	found  []Finding
}

func (c *checker) add(hard bool, rule, path, format string, args ...any) {
	c.found = append(c.found, Finding{Rule: rule, Path: path, Hard: hard, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) verdict() Verdict {
	slices.SortStableFunc(c.found, func(a, b Finding) int {
		if a.Hard != b.Hard {
			if a.Hard {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
	v := Verdict{Findings: c.found}
	v.Rejected = len(c.found) > 0 && c.found[0].Hard
	return v
}

// globs refuses everything under a policy that cannot be read: a glob that
// never matches would protect nothing without a word.
func (c *checker) globs() {
	lists := []struct {
		key  string
		list []string
	}{
		{"evaluator.protected", c.policy.Protected},
		{"gate.scope", c.policy.Scope},
		{"gate.forbidden", c.policy.Forbidden},
	}
	for _, l := range lists {
		for _, g := range l.list {
			if !validGlob(g) {
				c.add(true, RulePolicy, "", "%s has the malformed glob %q: correct it in %s", l.key, g, ConfigFile)
			}
		}
	}
}

// path applies every rule that looks at one path.
func (c *checker) path(d *record.FileDiff) {
	name := quote(d.Path)
	if why := badPath(d.Path); why != "" {
		c.add(true, RulePath, d.Path, "%s is no acceptable path: %s", name, why)
		return
	}
	c.gitFiles(d)
	switch {
	case match([]string{ConfigFile}, d.Path):
		c.add(true, RuleProtected, d.Path, "%s is the configuration of the experiment and stays as it is", name)
	case match(c.policy.Protected, d.Path) || covers(c.policy.Protected, d.Path):
		c.add(true, RuleProtected, d.Path, "%s is protected: it is always taken from the root", name)
	case match(c.policy.Forbidden, d.Path) || covers(c.policy.Forbidden, d.Path):
		c.add(true, RuleForbidden, d.Path, "%s may not be added or changed (gate.forbidden)", name)
	case len(c.policy.Scope) > 0 && !MatchExact(c.policy.Scope, d.Path):
		c.add(true, RuleScope, d.Path, "%s is outside the scope that candidates may change (gate.scope)", name)
	}
	c.kind(d)
	c.content(d)
	c.operator(d)
}

// kind looks at the type of the entry.
func (c *checker) kind(d *record.FileDiff) {
	name := quote(d.Path)
	if d.NewMode == record.Submodule || d.OldMode == record.Submodule {
		c.add(true, RuleSubmodule, d.Path, "%s changes a submodule: a candidate is one tree and links no other repository", name)
		return
	}
	if !d.NewExist {
		return
	}
	switch d.NewMode {
	case record.Symlink:
		c.symlink(d)
	case record.Executable:
		if d.OldMode != record.Executable {
			c.add(false, RuleExecutable, d.Path, "%s becomes executable", name)
		}
	case record.Regular:
		if d.OldExist && d.OldMode == record.Executable {
			c.add(false, RuleExecutable, d.Path, "%s is no longer executable", name)
		}
	default:
		c.add(true, RulePath, d.Path, "%s has the unknown mode %o: only files, executables and links are accepted", name, uint32(d.NewMode))
	}
}

func (c *checker) symlink(d *record.FileDiff) {
	name := quote(d.Path)
	change := c.data[d.Path]
	if change == nil {
		c.add(true, RuleSymlink, d.Path, "%s is a symbolic link whose target is not known here", name)
		return
	}
	target := string(change.Data)
	if why := badTarget(d.Path, target); why != "" {
		c.add(true, RuleSymlink, d.Path, "%s is a symbolic link to %s: %s", name, quote(target), why)
		return
	}
	if leads(c.policy.Protected, d.Path, target) {
		c.add(true, RuleSymlink, d.Path, "%s is a symbolic link to %s: that leads to protected files", name, quote(target))
		return
	}
	c.add(false, RuleSymlink, d.Path, "%s is a symbolic link to %s", name, quote(target))
}

// content looks at size and bytes.
func (c *checker) content(d *record.FileDiff) {
	change := c.data[d.Path]
	if change == nil || !d.NewExist || d.NewMode == record.Symlink || d.NewMode == record.Submodule {
		return
	}
	name := quote(d.Path)
	if size := int64(len(change.Data)); c.policy.MaxFileBytes > 0 && size > c.policy.MaxFileBytes {
		c.add(true, RuleSize, d.Path, "%s has %d bytes, more than the %d allowed (gate.max_file_bytes)", name, size, c.policy.MaxFileBytes)
	}
	if isBinary(change.Data) {
		c.add(false, RuleBinary, d.Path, "%s is binary: a review cannot read it", name)
		return
	}
	if what := WritesToClock(d.Path, change.Data); what != "" {
		c.add(false, RuleClock, d.Path, "%s writes to %s, by which a benchmark in the same process tells what it takes", name, quote(what))
	}
	for _, word := range channelWords() {
		if bytes.Contains(change.Data, []byte(word)) {
			c.add(false, RuleChannel, d.Path, "%s mentions %s, which only an evaluator needs", name, word)
			return
		}
	}
}

// writesToClock finds code of JavaScript that puts something of its own in the place of what tells the time, or of what
// prints it.
var writesToClock = regexp.MustCompile(`(?m)(?:^|[^.\w$])((?:(?:console|performance|Date|globalThis)\s*(?:\.\s*\w+\s*|\[\s*['"][^\]]*\]\s*)+|process\s*\.\s*(?:hrtime|stdout|stderr|cpuUsage|memoryUsage|uptime)\s*(?:\.\s*\w+\s*)*)=[^=>]|Object\s*\.\s*(?:defineProperty|defineProperties|assign)\(\s*(?:console|performance|Date|process|globalThis)\b)`)

// WritesToClock returns what code of a file writes to that tells the time or prints, "" for nothing: a benchmark that
// runs in the same process tells by it what it takes.
func WritesToClock(file string, code []byte) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx":
		if m := writesToClock.FindSubmatch(code); m != nil {
			what, _, _ := strings.Cut(string(m[1]), "=")
			return strings.TrimSpace(what)
		}
	}
	return ""
}

// channelWords are names that code which is measured has no reason to know.
func channelWords() []string {
	return []string{"ATOLL_RESULT", "ATOLL_CONTEXT", "ATOLL_RUN", "ATOLL_EVAL_DIR"}
}

// operator compares what was done with what the operator is there for.
func (c *checker) operator(d *record.FileDiff) {
	if c.rules.inPlace && d.OldExist != d.NewExist {
		what := "adds"
		if d.OldExist {
			what = "removes"
		}
		c.add(false, RuleOperator, d.Path, "a %s job %s %s, though it should only edit in place", c.op, what, quote(d.Path))
	}
}

// unseen refuses changes that the diff does not list: what is not listed was
// not checked.
func (c *checker) unseen(diffs []record.FileDiff, changes []record.Change) {
	listed := make(map[string]bool, len(diffs))
	for i := range diffs {
		listed[diffs[i].Path] = true
	}
	for i := range changes {
		if p := changes[i].Path; !listed[p] {
			// A change that equals the parent's content is in no diff; it is
			// judged by name and content all the same.
			there := changes[i].Mode != record.Deleted
			d := record.FileDiff{
				Path: p, OldMode: changes[i].Mode, NewMode: changes[i].Mode,
				OldExist: there, NewExist: there, Added: -1, Removed: -1,
			}
			c.path(&d)
		}
	}
}

// twins refuses two names that become one on file systems that fold case.
func (c *checker) twins(diffs []record.FileDiff) {
	seen := make(map[string]string, len(diffs))
	gone := make(map[string]bool)
	for i := range diffs {
		if !diffs[i].NewExist {
			gone[diffs[i].Path] = true
		}
	}
	for i := range diffs {
		d := &diffs[i]
		if !d.NewExist {
			continue
		}
		key := fold(d.Path)
		other, clash := seen[key]
		seen[key] = d.Path
		if !clash && !d.OldExist && c.policy.Twin != nil {
			other, clash = c.policy.Twin(d.Path)
			clash = clash && other != d.Path && !gone[other]
		}
		if clash {
			c.add(true, RuleTwin, d.Path, "%s and %s differ by case only and become one file on some systems", quote(d.Path), quote(other))
		}
	}
}

// counts applies the limits on the whole diff.
func (c *checker) counts(diffs []record.FileDiff) {
	hard := !c.rules.softLimits
	if limit := c.policy.MaxFiles * c.rules.factor; limit > 0 && len(diffs) > limit {
		c.add(hard, RuleFiles, "", "%d files change, more than the %d allowed (gate.max_files%s)", len(diffs), limit, c.rules.note())
	}
	lines := 0
	for i := range diffs {
		lines += c.linesOf(&diffs[i])
	}
	if limit := c.policy.MaxLines * c.rules.factor; limit > 0 && lines > limit {
		c.add(hard, RuleLines, "", "%d lines change, more than the %d allowed (gate.max_lines%s)", lines, limit, c.rules.note())
	}
}

// linesOf counts added plus removed lines. Where the diff was not counted, the
// new content's lines stand in for it, and binary content counts as none: it
// has the limit on size.
func (c *checker) linesOf(d *record.FileDiff) int {
	if d.Added >= 0 && d.Removed >= 0 {
		return d.Added + d.Removed
	}
	change := c.data[d.Path]
	if change == nil || isBinary(change.Data) {
		return 0
	}
	n := bytes.Count(change.Data, []byte("\n"))
	if len(change.Data) > 0 && change.Data[len(change.Data)-1] != '\n' {
		n++
	}
	return n
}

// isBinary tells content as git does: a NUL among the first 8,000 bytes.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
