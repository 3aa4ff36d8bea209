package door

import (
	"context"
	"encoding/base64"
	"io/fs"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store/record"
)

// Answer is what a worker made of a task.
type Answer struct {
	Lease   string       `json:"lease" maxLength:"64"`
	Changes []TaskChange `json:"changes,omitempty" maxItems:"1000" doc:"Files as they are now."`
	Patch   string       `json:"patch,omitempty" maxLength:"1000000" doc:"Instead of changes: what git diff --binary printed."`
	Intent  string       `json:"intent,omitempty" maxLength:"2000" doc:"What was tried, in a line."`
	Failed  string       `json:"failed,omitempty" maxLength:"2000" doc:"Instead of a change: why there is none."`
	Usage   *TaskUsage   `json:"usage,omitempty" doc:"What it cost; left out: nothing."`
}

// TaskChange is a file as it is after the edit.
type TaskChange struct {
	Path       string  `json:"path" maxLength:"4096"`
	Text       *string `json:"text,omitempty" doc:"The whole new content; of an empty file it is empty, but there."`
	Base64     *string `json:"base64,omitempty" doc:"The whole new content, where it is no text."`
	Executable bool    `json:"executable,omitempty"`
	Delete     bool    `json:"delete,omitempty" doc:"Instead of a content: the file goes."`
}

// TaskUsage is what a worker used. Its bounds are [record.MostTokens] and
// [record.MostUSD].
type TaskUsage struct {
	InputTokens  int64    `json:"input_tokens,omitempty" minimum:"0" maximum:"1000000000000"`
	OutputTokens int64    `json:"output_tokens,omitempty" minimum:"0" maximum:"1000000000000"`
	CostUSD      *float64 `json:"cost_usd,omitempty" minimum:"0" maximum:"100000" doc:"Left out: unknown."`
}

// mostChanges is how many files an answer may change.
const mostChanges = 1000

// result is an answer as that of an agent: what was made, or why nothing was.
func (a *Answer) result(ctx context.Context, parent agent.Tree) (agent.Result, *agent.Error, error) {
	usage, err := a.used()
	if err != nil {
		return agent.Result{}, nil, err
	}
	changed := a.Patch != "" || len(a.Changes) > 0
	switch {
	case !changed && strings.TrimSpace(a.Failed) == "":
		return agent.Result{}, nil, bad("the answer is empty: say changes, patch, or in failed why there is none")
	case !changed:
		return agent.Result{}, &agent.Error{Class: record.ClassNoChange, Reason: view.CleanLine("the worker gave up: " + a.Failed), Usage: usage, Err: agent.ErrNoChange}, nil
	case a.Failed != "":
		return agent.Result{}, nil, bad("failed says why there is no change, and there is one: leave one out")
	}
	changes, err := a.changes(ctx, parent)
	return agent.Result{Changes: changes, Usage: usage, Intent: view.CleanLine(a.Intent)}, nil, err
}

// used is what an answer says of its cost.
func (a *Answer) used() (record.Usage, error) {
	if a.Usage == nil {
		return agent.FreeOfCharge(), nil
	}
	u := record.Usage{Requests: 1, InputTokens: a.Usage.InputTokens, OutputTokens: a.Usage.OutputTokens, CostUSD: a.Usage.CostUSD}
	if _, ok := u.Bounded(); !ok {
		return u, bad("nobody uses that much: tokens are from 0 to %d, cost_usd is from 0 to %g", int64(record.MostTokens), record.MostUSD)
	}
	return u, nil
}

// changes are the files that an answer changes, sorted; with the others of the parent
// they are a tree.
func (a *Answer) changes(ctx context.Context, parent agent.Tree) ([]record.Change, error) {
	list, err := a.listed(ctx, parent)
	if err != nil {
		return nil, err
	}
	return list, aTree(parent, list)
}

// aTree is an error where a path would be a file and a folder.
func aTree(parent agent.Tree, changes []record.Change) error {
	files := map[string]bool{}
	for _, f := range parent.Files() {
		files[f.Path] = true
	}
	for _, c := range changes {
		files[c.Path] = c.Mode != record.Deleted
	}
	for path, there := range files {
		for dir := path; there; {
			i := strings.LastIndexByte(dir, '/')
			if i < 0 {
				break
			}
			if dir = dir[:i]; files[dir] {
				return bad("%s would be a file and a folder: %s is to be there as well", view.CleanLine(dir), view.CleanLine(path))
			}
		}
	}
	return nil
}

func (a *Answer) listed(ctx context.Context, parent agent.Tree) ([]record.Change, error) {
	if a.Patch != "" {
		if len(a.Changes) > 0 {
			return nil, bad("changes and patch are two ways to say the same: leave one out")
		}
		return applied(ctx, parent, a.Patch)
	}
	modes := modesOf(parent)
	var out []record.Change
	for _, c := range a.Changes {
		change, err := c.change(modes)
		if err != nil {
			return nil, err
		}
		out = append(out, change)
	}
	slices.SortFunc(out, func(x, y record.Change) int { return strings.Compare(x.Path, y.Path) })
	for i := 1; i < len(out); i++ {
		if out[i].Path == out[i-1].Path {
			return nil, bad("%s is there twice", view.CleanLine(out[i].Path))
		}
	}
	return out, nil
}

// modesOf are the modes of the files of a tree, by path.
func modesOf(t agent.Tree) map[string]record.Mode {
	modes := map[string]record.Mode{}
	for _, f := range t.Files() {
		modes[f.Path] = f.Mode
	}
	return modes
}

func (c *TaskChange) change(modes map[string]record.Mode) (record.Change, error) {
	was, there := modes[c.Path]
	name := view.CleanLine(c.Path)
	switch {
	case !inside(c.Path):
		return record.Change{}, bad("%q is no path of a file inside the repository", name)
	case c.Delete && (c.Text != nil || c.Base64 != nil):
		return record.Change{}, bad("%s is deleted and has a content: leave one out", name)
	case c.Delete && !there:
		return record.Change{}, bad("%s cannot be deleted: the parent has no such file", name)
	case c.Delete:
		return record.Change{Path: c.Path}, nil
	case there && was != record.Regular && was != record.Executable:
		return record.Change{}, bad("%s is a symlink or a submodule: it can only be deleted", name)
	case c.Text != nil && c.Base64 != nil:
		return record.Change{}, bad("%s has text and base64: leave one out", name)
	case c.Text == nil && c.Base64 == nil:
		return record.Change{}, bad("%s has no content: say text (empty for an empty file), base64 or delete", name)
	}
	data, err := c.content()
	if err != nil {
		return record.Change{}, bad("%s: %v", name, err)
	}
	mode := record.Regular
	if c.Executable || was == record.Executable {
		mode = record.Executable
	}
	return record.Change{Path: c.Path, Mode: mode, Data: data}, nil
}

func (c *TaskChange) content() ([]byte, error) {
	if c.Base64 != nil {
		return base64.StdEncoding.DecodeString(*c.Base64)
	}
	return []byte(*c.Text), nil
}

// inside reports whether a path names a file of a repository, and none of git's own.
func inside(path string) bool {
	return fs.ValidPath(path) && path != "." && !strings.ContainsAny(path, "\x00\n\\") &&
		!slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}
