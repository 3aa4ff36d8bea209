package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Condition is a bound of one figure.
type Condition struct {
	Figure  string // as [Report.Figure] reads it
	AtLeast bool   // else at most
	Bound   float64
}

func (c Condition) holds(v float64) bool {
	if c.AtLeast {
		return v >= c.Bound
	}
	return v <= c.Bound
}

// Judge says whether a condition holds on a tree, and what was measured, in words. root
// is the tree that it was made of; both are measured with the same marks ([RunBy]).
//
// The place must be within the bound; or it was there at the root and is gone. And what
// was wrong must not have gone elsewhere: no other place of the tree, a function for
// a figure of functions and a file for one of files, may be beyond the bound when it is
// new or is further beyond it than at the root. A function that only moved to
// another file under its name is not new, unless it is the one in question. A source
// file that can no longer be read lets nothing hold.
func Judge(root, now *Report, c Condition) (ok bool, detail string) {
	figure, place, _ := strings.Cut(c.Figure, " ")
	for _, name := range now.Unread {
		if !slices.Contains(root.Unread, name) {
			return false, fmt.Sprintf("%s cannot be read as source code", name)
		}
	}
	if by, _, plugged := strings.Cut(figure, "/"); plugged && !slices.Contains(now.Plugged, by) {
		return false, fmt.Sprintf("no plug-in %s looks at the tree; plugins.auditors names those that do", by)
	}
	v, err := now.Figure(c.Figure)
	switch {
	case errors.Is(err, ErrNoPlace):
		if _, was := root.Figure(c.Figure); was != nil {
			return false, err.Error()
		}
		detail = place + " is gone"
	case err != nil:
		return false, err.Error()
	default:
		detail = fmt.Sprintf("%s is %s", c.Figure, number(v))
		if was, err := root.Figure(c.Figure); err == nil && was != v {
			detail += " and was " + number(was)
		}
		if !c.holds(v) {
			return false, detail
		}
	}
	for _, bad := range now.Unreadable {
		if figure == Behind && !slices.Contains(root.Unreadable, bad) {
			return false, bad
		}
	}
	j := judgement{c, figure, place, root, now}
	if elsewhere := j.elsewhere(); elsewhere != "" {
		return false, detail + ", but " + elsewhere
	}
	return true, detail
}

// number is a value as people read it.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// judgement is a condition on a tree and the one that it was made of.
type judgement struct {
	Condition
	figure, place string
	root, now     *Report
}

// elsewhere names a place that took over what is wrong with the one in question; "" =
// there is none.
func (j *judgement) elsewhere() string {
	switch {
	case j.place == "all" || j.figure == Covered:
		return ""
	case strings.Contains(j.figure, "/"):
		return j.foreign()
	case j.figure == Behind:
		return j.dependencies()
	case j.figure == Complexity || j.figure == Cognitive || j.figure == Length || j.figure == Worst:
		return j.functions()
	}
	return j.files()
}

// worse says in words that a place is beyond the bound and was not, or less far; "" = it
// is not.
func (j *judgement) worse(place string, v, was float64, known bool) string {
	switch {
	case j.holds(v):
		return ""
	case !known:
		return fmt.Sprintf("%s, which is new, has %s", place, number(v))
	case j.AtLeast && v < was || !j.AtLeast && v > was:
		return fmt.Sprintf("%s grew worse, from %s to %s", place, number(was), number(v))
	}
	return ""
}

func (j *judgement) functions() string {
	for i := range j.now.Files {
		f := &j.now.Files[i]
		for _, fn := range f.units() {
			place := f.Path + ":" + fn.Name
			if place == j.place {
				continue
			}
			was, known := 0.0, false
			if before := j.root.file(f.Path); before != nil {
				was, known = before.highest(j.figure, fn.Name)
			}
			if !known {
				was, known = j.moved(fn.Name)
			}
			if text := j.worse(place, fn.of(j.figure), was, known); text != "" {
				return text
			}
		}
	}
	return ""
}

// moved is the figure of a function of that name which has left the place where it was
// at the root, when it is none that the condition is about.
func (j *judgement) moved(name string) (was float64, ok bool) {
	for i := range j.root.Files {
		f := &j.root.Files[i]
		if f.Path == j.place || f.Path+":"+name == j.place {
			continue
		}
		if now := j.now.file(f.Path); now != nil {
			if _, there := now.highest(j.figure, name); there {
				continue
			}
		}
		if v, had := f.highest(j.figure, name); had {
			was, ok = max(was, v), true
		}
	}
	return was, ok
}

func (j *judgement) files() string {
	for i := range j.now.Files {
		f := &j.now.Files[i]
		if f.Path == j.place {
			continue
		}
		v, err := f.figure(j.figure, f.Path, "")
		if err != nil {
			continue
		}
		was, known := 0.0, false
		if before := j.root.file(f.Path); before != nil {
			was, err = before.figure(j.figure, f.Path, "")
			known = err == nil
		}
		if text := j.worse(f.Path, v, was, known); text != "" {
			return text
		}
	}
	return ""
}

func (j *judgement) foreign() string {
	for _, g := range j.now.Foreign {
		if g.Figure == j.Figure || !strings.HasPrefix(g.Figure, j.figure+" ") {
			continue
		}
		i := slices.IndexFunc(j.root.Foreign, func(o Finding) bool { return o.Figure == g.Figure })
		was := 0.0
		if i >= 0 {
			was = j.root.Foreign[i].Value
		}
		if text := j.worse(strings.TrimPrefix(g.Figure, j.figure+" "), g.Value, was, i >= 0); text != "" {
			return text
		}
	}
	return ""
}
