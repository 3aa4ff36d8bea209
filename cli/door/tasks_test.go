package door

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"atoll/engine/agent/broker"
	"atoll/store/record"
)

// parent is the tree of a task with files of every mode: contents by path.
type parent map[string]struct {
	mode record.Mode
	text string
}

func (p parent) Files() []record.File {
	var out []record.File
	for path, f := range p {
		out = append(out, record.File{Path: path, Mode: f.mode, Size: int64(len(f.text))})
	}
	slices.SortFunc(out, func(a, b record.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (p parent) Read(_ context.Context, path string) ([]byte, error) {
	f, ok := p[path]
	if !ok || f.mode == record.Submodule {
		return nil, fs.ErrNotExist
	}
	return []byte(f.text), nil
}

func aParent() parent {
	return parent{
		"a.txt":     {record.Regular, "one\ntwo\n"},
		"bin/run":   {record.Executable, "#!/bin/sh\n"},
		"link":      {record.Symlink, "a.txt"},
		"vendor/of": {record.Submodule, ""},
	}
}

func TestWhatAWorkerBringsIsTurnedIntoChangesOrRefused(t *testing.T) {
	const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"
	for name, tc := range map[string]struct {
		answer Answer
		want   string // path, mode and content of each change; of a deletion the path alone
		says   string // why it is refused
	}{
		"a file as it is now":                {Answer{Changes: []TaskChange{{Path: "a.txt", Text: "1\n"}}}, "a.txt 100644 1\n", ""},
		"a new file":                         {Answer{Changes: []TaskChange{{Path: "new/b", Text: "b"}}}, "new/b 100644 b", ""},
		"a new program":                      {Answer{Changes: []TaskChange{{Path: "new/b", Text: "b", Executable: true}}}, "new/b 100755 b", ""},
		"a program stays one":                {Answer{Changes: []TaskChange{{Path: "bin/run", Text: "b"}}}, "bin/run 100755 b", ""},
		"an empty file":                      {Answer{Changes: []TaskChange{{Path: "a.txt"}}}, "a.txt 100644 ", ""},
		"bytes that are no text":             {Answer{Changes: []TaskChange{{Path: "x", Base64: base64.StdEncoding.EncodeToString([]byte{0, 255})}}}, "x 100644 \x00\xff", ""},
		"a file is deleted":                  {Answer{Changes: []TaskChange{{Path: "a.txt", Delete: true}}}, "a.txt", ""},
		"a link is deleted":                  {Answer{Changes: []TaskChange{{Path: "link", Delete: true}}}, "link", ""},
		"in the order of their paths":        {Answer{Changes: []TaskChange{{Path: "z", Text: "z"}, {Path: "b", Text: "b"}}}, "b 100644 b; z 100644 z", ""},
		"a patch":                            {Answer{Patch: patch}, "a.txt 100644 1\ntwo\n", ""},
		"a patch and changes":                {Answer{Patch: patch, Changes: []TaskChange{{Path: "b"}}}, "", "leave one out"},
		"a patch that is none":               {Answer{Patch: "I changed a.txt."}, "", "cannot be read"},
		"a patch for another parent":         {Answer{Patch: strings.ReplaceAll(patch, "one", "three")}, "", "does not fit"},
		"a path above the repository":        {Answer{Changes: []TaskChange{{Path: "../a.txt"}}}, "", "no path inside"},
		"an absolute path":                   {Answer{Changes: []TaskChange{{Path: "/etc/passwd"}}}, "", "no path inside"},
		"the repository itself":              {Answer{Changes: []TaskChange{{Path: "."}}}, "", "no path inside"},
		"no path":                            {Answer{Changes: []TaskChange{{Text: "x"}}}, "", "no path inside"},
		"a path that is not clean":           {Answer{Changes: []TaskChange{{Path: "a//b"}}}, "", "no path inside"},
		"a link is written":                  {Answer{Changes: []TaskChange{{Path: "link", Text: "/etc/passwd"}}}, "", "can only be deleted"},
		"a submodule is written":             {Answer{Changes: []TaskChange{{Path: "vendor/of", Text: "x"}}}, "", "can only be deleted"},
		"a file that is not there":           {Answer{Changes: []TaskChange{{Path: "none", Delete: true}}}, "", "no such file"},
		"text and bytes at once":             {Answer{Changes: []TaskChange{{Path: "a.txt", Text: "a", Base64: "YQ=="}}}, "", "leave one out"},
		"bytes that cannot be read":          {Answer{Changes: []TaskChange{{Path: "a.txt", Base64: "?"}}}, "", "a.txt: "},
		"a path twice":                       {Answer{Changes: []TaskChange{{Path: "b", Text: "1"}, {Path: "b", Text: "2"}}}, "", "b is there twice"},
		"a path is deleted and written, too": {Answer{Changes: []TaskChange{{Path: "a.txt", Delete: true}, {Path: "a.txt", Text: "2"}}}, "", "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := tc.answer.changes(t.Context(), &broker.Task{Files: aParent()})
			if tc.says != "" {
				if !errors.Is(err, ErrCommand) || !strings.Contains(err.Error(), tc.says) {
					t.Fatalf("got %v, want %q", err, tc.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range changes {
				if c.Mode == 0 {
					got = append(got, c.Path)
				} else {
					got = append(got, fmt.Sprintf("%s %06o %s", c.Path, c.Mode, c.Data))
				}
			}
			if text := strings.Join(got, "; "); text != tc.want {
				t.Errorf("got %q, want %q", text, tc.want)
			}
		})
	}
}

func TestTheFilesOfATaskAreATarWithoutSubmodules(t *testing.T) {
	var b bytes.Buffer
	if err := (TaskTree{aParent()}).WriteTar(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for in := tar.NewReader(&b); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%c %s %o %q -> %q", h.Typeflag, h.Name, h.Mode, data, h.Linkname))
	}
	want := []string{`0 a.txt 644 "one\ntwo\n" -> ""`, `0 bin/run 755 "#!/bin/sh\n" -> ""`, `2 link 644 "" -> "a.txt"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestATaskTellsWhoHasIt(t *testing.T) {
	waits, out := broker.Task{Job: 7, Agent: "others"}, broker.Task{Job: 7, Agent: "others", Worker: "w1"}
	if got := taskOf(&waits); got.Status != "waiting" || got.Worker != "" || got.Until != 0 || got.ID != 7 {
		t.Errorf("%+v", got)
	}
	if got := taskOf(&out); got.Status != "leased" || got.Worker != "w1" {
		t.Errorf("%+v", got)
	}
}
