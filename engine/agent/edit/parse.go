package edit

import (
	"fmt"
	"strings"
)

// Format is how a model writes its edits.
type Format string

// The formats. Blocks are SEARCH/REPLACE blocks; Whole is whole files in
// fences; Diff is a unified diff.
const (
	Blocks Format = "blocks"
	Whole  Format = "whole"
	Diff   Format = "diff"
)

// Edit is one edit of one file as a model wrote it. Exactly one of Whole,
// Block, Hunks and Delete says what happens.
type Edit struct {
	Path   string // as written; "" = the model named none
	Line   int    // of the answer, from 1
	Whole  *string
	Block  *Block
	Hunks  []Hunk
	Create bool // a diff from /dev/null
	Delete bool
}

// Block replaces the lines Search by Replace.
type Block struct {
	Search  []string
	Replace []string
}

// Hunk is a hunk of a unified diff. Start is the line of the old file, from
// 1, or 0 where the model wrote none.
type Hunk struct {
	Start int
	Ops   []Op
}

// Op is one line of a hunk: kept (' '), removed ('-') or added ('+').
type Op struct {
	Kind byte
	Text string
}

// Error says precisely why edits cannot be used, in words for the model.
type Error struct {
	Problems []string
}

// maxProblems are told at once.
const maxProblems = 8

// Error returns all problems in one line.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		first, _, _ := strings.Cut(p, "\n")
		lines = append(lines, first)
	}
	return "the edits cannot be applied: " + strings.Join(lines, "; ")
}

// Feedback returns the problems at length, for the model.
func (e *Error) Feedback() string {
	shown := e.Problems
	more := ""
	if len(shown) > maxProblems {
		more = fmt.Sprintf("\n- and %d more", len(shown)-maxProblems)
		shown = shown[:maxProblems]
	}
	return "- " + strings.Join(shown, "\n- ") + more
}

func editProblem(format string, args ...any) *Error {
	return &Error{Problems: []string{fmt.Sprintf(format, args...)}}
}

// maxEdits bounds the edits of one answer.
const maxEdits = 500

// Parse reads the edits in an answer. A format that was not asked for is
// understood too where it cannot be mistaken: blocks and diffs always, whole
// files only when asked for. known are the paths that the prompt showed; with
// one of them an edit need not name its file. An answer that says NO CHANGE
// and holds no edit gives none and no error. The error is an [*Error].
func Parse(format Format, answer string, known []string) ([]Edit, error) {
	lines := strings.Split(strings.ReplaceAll(WithoutThoughts(answer), "\r\n", "\n"), "\n")
	edits, err := parseSome(format, lines, known)
	if err != nil {
		return nil, err
	}
	edits = append(edits, parseDeletions(lines)...)
	if len(edits) > maxEdits {
		return nil, editProblem("the answer holds %d edits; the most is %d: make a smaller change", len(edits), maxEdits)
	}
	if len(edits) == 0 && !saysNoChange(lines) {
		return nil, editProblem("the answer holds no edit in the form that was asked for")
	}
	if len(known) == 1 {
		for i := range edits {
			if edits[i].Path == "" {
				edits[i].Path = known[0]
			}
		}
	}
	return edits, nil
}

func parseSome(format Format, lines []string, known []string) ([]Edit, error) {
	blocks, diffs := false, false
	for i, l := range lines {
		blocks = blocks || marks(l, '<', "SEARCH")
		diffs = diffs || isDiffHeader(lines, i)
	}
	switch {
	case format == Diff && diffs:
		return parseDiff(lines)
	case format == Whole && !blocks && !diffs:
		return parseWhole(lines, known)
	case blocks:
		return parseBlocks(lines, known)
	case format == Whole:
		// A file may itself hold lines that look like a diff.
		if edits, err := parseWhole(lines, known); err != nil || len(edits) > 0 {
			return edits, err
		}
		return parseDiff(lines)
	case diffs:
		return parseDiff(lines)
	}
	return nil, nil
}

func saysNoChange(lines []string) bool {
	for _, l := range lines {
		if t := strings.Trim(strings.ToUpper(strings.TrimSpace(l)), "*`.# "); t == "NO CHANGE" || t == "NO CHANGES" {
			return true
		}
	}
	return false
}

// parseDeletions finds lines "DELETE FILE: path" outside of fences and blocks.
func parseDeletions(lines []string) []Edit {
	var out []Edit
	inside := false
	for i, l := range lines {
		t := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(t, "```") || marks(l, '<', "SEARCH") || marks(l, '>', "REPLACE"):
			inside = !inside && !marks(l, '>', "REPLACE")
		case !inside && strings.HasPrefix(t, "DELETE FILE:"):
			out = append(out, Edit{Path: CleanName(strings.TrimPrefix(t, "DELETE FILE:")), Line: i + 1, Delete: true})
		}
	}
	return out
}

// marks reports a line of five to nine of a character and a word, such as
// "<<<<<<< SEARCH".
func marks(line string, c byte, word string) bool {
	t := strings.TrimSpace(line)
	n := 0
	for n < len(t) && t[n] == c {
		n++
	}
	return n >= 5 && n <= 9 && strings.EqualFold(strings.Trim(t[n:], " \t<>:"), word)
}

// parseBlocks reads SEARCH/REPLACE blocks.
func parseBlocks(lines []string, known []string) ([]Edit, error) {
	var edits []Edit
	last := ""
	for i := 0; i < len(lines); i++ {
		if !marks(lines[i], '<', "SEARCH") {
			continue
		}
		if name := nameBefore(lines, i, known); name != "" {
			last = name
		}
		divider, end := -1, -1
		for k := i + 1; k < len(lines) && end < 0; k++ {
			switch {
			case divider < 0 && marks(lines[k], '=', ""):
				divider = k
			case marks(lines[k], '>', "REPLACE"):
				end = k
			case marks(lines[k], '<', "SEARCH"):
				return nil, editProblem("the block that begins on line %d of the answer (%s) does not end with >>>>>>> REPLACE before the next one", i+1, last)
			}
		}
		switch {
		case end < 0:
			return nil, editProblem("the block that begins on line %d of the answer (%s) does not end with >>>>>>> REPLACE", i+1, last)
		case divider < 0:
			return nil, editProblem("the block that begins on line %d of the answer (%s) has no ======= between what to search and what to put there", i+1, last)
		}
		edits = append(edits, Edit{Path: last, Line: i + 1, Block: &Block{Search: lines[i+1 : divider], Replace: lines[divider+1 : end]}})
		i = end
	}
	return edits, nil
}

// nameBefore finds the path in the lines before a block or fence.
func nameBefore(lines []string, at int, known []string) string {
	seen := 0
	for i := at - 1; i >= 0 && seen < 3; i-- {
		t := strings.TrimSpace(lines[i])
		if t == "" {
			continue
		}
		if marks(lines[i], '>', "REPLACE") {
			return ""
		}
		seen++
		if fence, info := fenceOf(lines[i]); fence != "" {
			if name := nameIn(info, known); name != "" {
				return name
			}
			if info == "" && seen > 1 {
				return "" // the end of another fence
			}
			continue
		}
		if name := nameIn(t, known); name != "" {
			return name
		}
	}
	return ""
}

// nameIn reads a path from a line that holds little else.
func nameIn(line string, known []string) string {
	for _, k := range known {
		if strings.TrimSpace(line) == k {
			return k
		}
	}
	words := strings.Fields(line)
	if len(words) > 6 {
		return ""
	}
	for i := len(words) - 1; i >= 0; i-- {
		name := CleanName(words[i])
		for _, k := range known {
			if name == k {
				return k
			}
		}
		if len(words) <= 3 && LooksLikePath(name) {
			return name
		}
	}
	return ""
}

func CleanName(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*`'\"#:;,()<>[]")
	for _, prefix := range []string{"path=", "file=", "filename=", "title=", "File:", "file:", "path:"} {
		s = strings.TrimPrefix(s, prefix)
	}
	return strings.TrimPrefix(strings.Trim(s, "*`'\" "), "./")
}

func LooksLikePath(s string) bool {
	if s == "" || len(s) > 4096 || strings.ContainsAny(s, " \t{}=;|") || strings.Contains(s, "://") || strings.HasSuffix(s, ".") {
		return false
	}
	dot := strings.LastIndexByte(s, '.')
	return strings.ContainsRune(s, '/') || dot > 0 && dot < len(s)-1 || s == "Makefile" || s == "Dockerfile"
}

// fenceOf reads a line that opens or closes a fence: its marks and what
// follows them.
func fenceOf(line string) (fence, info string) {
	t := strings.TrimSpace(line)
	for _, c := range []byte{'`', '~'} {
		n := 0
		for n < len(t) && t[n] == c {
			n++
		}
		if n >= 3 && !strings.ContainsRune(t[n:], rune(c)) {
			return t[:n], strings.TrimSpace(t[n:])
		}
	}
	return "", ""
}

// parseWhole reads whole files in fences that follow their path.
func parseWhole(lines []string, known []string) ([]Edit, error) {
	var edits []Edit
	nameless := 0
	for i := 0; i < len(lines); i++ {
		fence, info := fenceOf(lines[i])
		if fence == "" {
			continue
		}
		name := nameIn(info, known)
		if name == "" {
			name = nameBefore(lines, i, known)
		}
		end := fenceEnd(lines, i, fence)
		if end < 0 {
			return nil, editProblem("the file that begins on line %d of the answer (%s) does not end: close its fence with %s", i+1, name, fence)
		}
		text := strings.Join(lines[i+1:end], "\n")
		if end > i+1 {
			text += "\n"
		}
		if name == "" {
			nameless++
		}
		edits = append(edits, Edit{Path: name, Line: i + 1, Whole: &text})
		i = end
	}
	if nameless > 0 && (len(edits) > 1 || len(known) != 1) {
		edits = named(edits)
	}
	return edits, nil
}

// named drops the fences without a path: examples inside the text.
func named(edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		if e.Path != "" {
			out = append(out, e)
		}
	}
	return out
}

// fenceEnd finds the line that closes a fence. A fence with a language inside
// is one of the file's own and has its own end.
func fenceEnd(lines []string, at int, fence string) int {
	depth := 0
	for k := at + 1; k < len(lines); k++ {
		inner, info := fenceOf(lines[k])
		if inner == "" || inner[0] != fence[0] || len(inner) < len(fence) {
			continue
		}
		switch {
		case info != "" && len(inner) == len(fence):
			depth++
		case info != "":
		case depth > 0:
			depth--
		default:
			return k
		}
	}
	return -1
}
