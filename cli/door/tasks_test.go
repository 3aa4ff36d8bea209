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
	"math"
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
	git := func(name, header, body string) Answer {
		return Answer{Patch: "diff --git a/" + name + " b/" + name + "\n" + header + body}
	}
	for name, tc := range map[string]struct {
		answer Answer
		want   string // path, mode and content of each change; of a deletion the path alone
		says   string // why it is refused
	}{
		"a file as it is now":         {Answer{Changes: []TaskChange{{Path: "a.txt", Text: new("1\n")}}}, "a.txt 100644 1\n", ""},
		"a new file":                  {Answer{Changes: []TaskChange{{Path: "new/b", Text: new("b")}}}, "new/b 100644 b", ""},
		"a new program":               {Answer{Changes: []TaskChange{{Path: "new/b", Text: new("b"), Executable: true}}}, "new/b 100755 b", ""},
		"a program stays one":         {Answer{Changes: []TaskChange{{Path: "bin/run", Text: new("b")}}}, "bin/run 100755 b", ""},
		"an empty file":               {Answer{Changes: []TaskChange{{Path: "a.txt", Text: new("")}}}, "a.txt 100644 ", ""},
		"a folder in place of a file": {Answer{Changes: []TaskChange{{Path: "a.txt", Delete: true}, {Path: "a.txt/b", Text: new("1")}}}, "a.txt; a.txt/b 100644 1", ""},
		"bytes that are no text":      {Answer{Changes: []TaskChange{{Path: "x", Base64: new(base64.StdEncoding.EncodeToString([]byte{0, 255}))}}}, "x 100644 \x00\xff", ""},
		"a file is deleted":           {Answer{Changes: []TaskChange{{Path: "a.txt", Delete: true}}}, "a.txt", ""},
		"a link is deleted":           {Answer{Changes: []TaskChange{{Path: "link", Delete: true}}}, "link", ""},
		"in the order of their paths": {Answer{Changes: []TaskChange{{Path: "z", Text: new("z")}, {Path: "b", Text: new("b")}}}, "b 100644 b; z 100644 z", ""},
		"a patch":                     {Answer{Patch: patch}, "a.txt 100644 1\ntwo\n", ""},
		"a patch and changes":         {Answer{Patch: patch, Changes: []TaskChange{{Path: "b"}}}, "", "leave one out"},
		"a patch that is none":        {Answer{Patch: "I changed a.txt."}, "", "cannot be read"},
		"a patch for another parent":  {Answer{Patch: strings.ReplaceAll(patch, "one", "three")}, "", "does not fit"},
		"a patch without a/ and b/":   {Answer{Patch: strings.NewReplacer("a/a.txt", "a.txt", "b/a.txt", "a.txt").Replace(patch)}, "a.txt 100644 1\ntwo\n", ""},
		"a patch with wrong counts":   {Answer{Patch: strings.Replace(patch, "-1,2", "-1,7", 1)}, "", "cannot be read"},
		"a patch that makes a link":   {git("l", "new file mode 120000\n", "--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a.txt\n\\ No newline at end of file\n"), "l 120000 a.txt", ""},
		"a patch that moves a link":   {git("link", "index 1..2 120000\n", "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-a.txt\n\\ No newline at end of file\n+bin\n\\ No newline at end of file\n"), "link 120000 bin", ""},
		"a patch that makes a file of a link": {Answer{Patch: "diff --git a/link b/link\ndeleted file mode 120000\n--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-a.txt\n\\ No newline at end of file\n" +
			"diff --git a/link b/link\nnew file mode 100644\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+x\n"}, "link 100644 x\n", ""},
		"a patch that makes a program":     {git("p", "new file mode 100755\n", "--- /dev/null\n+++ b/p\n@@ -0,0 +1 @@\n+x\n"), "p 100755 x\n", ""},
		"a patch of a mode alone":          {git("a.txt", "old mode 100644\nnew mode 100755\n", ""), "a.txt 100755 one\ntwo\n", ""},
		"a patch that makes an empty file": {git("e", "new file mode 100644\nindex 0000000..e69de29\n", ""), "e 100644 ", ""},
		"a patch that deletes":             {git("a.txt", "deleted file mode 100644\n", "--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"), "a.txt", ""},
		"a patch that deletes a part":      {git("a.txt", "deleted file mode 100644\n", "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"), "", "does not fit"},
		"a patch that makes and deletes": {Answer{Patch: "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n" +
			"diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}, "", ""},
		"a patch that renames":                     {Answer{Patch: "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n"}, "a.txt; b.txt 100644 one\ntwo\n", ""},
		"a patch that copies":                      {Answer{Patch: "diff --git a/bin/run b/bin/too\nsimilarity index 100%\ncopy from bin/run\ncopy to bin/too\n"}, "bin/too 100755 #!/bin/sh\n", ""},
		"a patch with bytes that it does not tell": {git("b", "new file mode 100644\nindex 0000000..f76dd23\n", "Binary files /dev/null and b/b differ\n"), "", "--binary"},
		"a patch with bytes":                       {git("b", "new file mode 100644\nindex 0000000000000000000000000000000000000000..f76dd238ade08917e6712764a16a22005a50573d\n", "GIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n"), "b 100644 \x00", ""},
		"a patch of a submodule":                   {git("vendor/of", "index 1..2 160000\n", "--- a/vendor/of\n+++ b/vendor/of\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"), "", "the mode 160000"},
		"a patch outside":                          {git("../x", "new file mode 100644\n", "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"), "", "no path of a file inside"},
		"a patch that makes what is there":         {git("a.txt", "new file mode 100644\n", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n"), "", "does not fit"},
		"a patch of what is not there":             {git("none", "", "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n"), "", "does not fit"},
		"a path above the repository":              {Answer{Changes: []TaskChange{{Path: "../a.txt"}}}, "", "no path of a file inside"},
		"an absolute path":                         {Answer{Changes: []TaskChange{{Path: "/etc/passwd"}}}, "", "no path of a file inside"},
		"the repository itself":                    {Answer{Changes: []TaskChange{{Path: "."}}}, "", "no path of a file inside"},
		"no path":                                  {Answer{Changes: []TaskChange{{Text: new("x")}}}, "", "no path of a file inside"},
		"a path that is not clean":                 {Answer{Changes: []TaskChange{{Path: "a//b"}}}, "", "no path of a file inside"},
		"a link is written":                        {Answer{Changes: []TaskChange{{Path: "link", Text: new("/etc/passwd")}}}, "", "can only be deleted"},
		"a submodule is written":                   {Answer{Changes: []TaskChange{{Path: "vendor/of", Text: new("x")}}}, "", "can only be deleted"},
		"a file that is not there":                 {Answer{Changes: []TaskChange{{Path: "none", Delete: true}}}, "", "no such file"},
		"text and bytes at once":                   {Answer{Changes: []TaskChange{{Path: "a.txt", Text: new("a"), Base64: new("YQ==")}}}, "", "leave one out"},
		"bytes that cannot be read":                {Answer{Changes: []TaskChange{{Path: "a.txt", Base64: new("?")}}}, "", "a.txt: "},
		"a path twice":                             {Answer{Changes: []TaskChange{{Path: "b", Text: new("1")}, {Path: "b", Text: new("2")}}}, "", "b is there twice"},
		"a path without a content":                 {Answer{Changes: []TaskChange{{Path: "b"}}}, "", "has no content"},
		"a path with a content is deleted":         {Answer{Changes: []TaskChange{{Path: "a.txt", Text: new("1"), Delete: true}}}, "", "leave one out"},
		"a file of git's own":                      {Answer{Changes: []TaskChange{{Path: ".git/config", Text: new("1")}}}, "", "no path of a file"},
		"a file of git's own in a folder":          {Answer{Changes: []TaskChange{{Path: "a/.GIT", Text: new("1")}}}, "", "no path of a file"},
		"a name with a NUL":                        {Answer{Changes: []TaskChange{{Path: "a\x00b", Text: new("1")}}}, "", "no path of a file"},
		"a file and a folder of one name":          {Answer{Changes: []TaskChange{{Path: "n", Text: new("1")}, {Path: "n/b", Text: new("1")}}}, "", "n would be a file and a folder"},
		"a folder where a file is":                 {Answer{Changes: []TaskChange{{Path: "a.txt/b/c", Text: new("1")}}}, "", "a.txt would be a file and a folder"},
		"a file where a folder is":                 {Answer{Changes: []TaskChange{{Path: "bin", Text: new("1")}}}, "", "bin would be a file and a folder"},
		"a patch of git's own files":               {git(".git/config", "new file mode 100644\n", "--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n"), "", "no path of a file"},
		"a patch of a folder where a file is":      {git("a.txt/b", "new file mode 100644\n", "--- /dev/null\n+++ b/a.txt/b\n@@ -0,0 +1 @@\n+x\n"), "", "would be a file and a folder"},
		"a path is deleted and written, too":       {Answer{Changes: []TaskChange{{Path: "a.txt", Delete: true}, {Path: "a.txt", Text: new("2")}}}, "", "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := tc.answer.changes(t.Context(), aParent())
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

func TestAnAnswerSaysOneThingAndWhatCanBe(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	changed := []TaskChange{{Path: "a.txt", Text: new("1")}}
	for name, tc := range map[string]struct {
		answer Answer
		says   string // why it is refused; "" = it is not
	}{
		"a change":               {Answer{Changes: changed}, ""},
		"a failure":              {Answer{Failed: "too hard"}, ""},
		"nothing":                {Answer{}, "the answer is empty"},
		"a reason of spaces":     {Answer{Failed: " "}, "the answer is empty"},
		"a change and a failure": {Answer{Changes: changed, Failed: "too hard"}, "leave one out"},
		"a patch and a failure":  {Answer{Patch: "x", Failed: "too hard"}, "leave one out"},
		"the most that it costs": {Answer{Changes: changed, Usage: &TaskUsage{InputTokens: record.MostTokens, OutputTokens: record.MostTokens, CostUSD: usd(record.MostUSD)}}, ""},
		"no number as a cost":    {Answer{Changes: changed, Usage: &TaskUsage{CostUSD: usd(math.NaN())}}, "from 0 to"},
		"money that nobody has":  {Answer{Changes: changed, Usage: &TaskUsage{CostUSD: usd(1e300)}}, "from 0 to 1000000000000, cost_usd is from 0 to 100000"},
		"money back":             {Answer{Failed: "too hard", Usage: &TaskUsage{CostUSD: usd(-1)}}, "from 0 to"},
		"tokens beyond count":    {Answer{Failed: "too hard", Usage: &TaskUsage{OutputTokens: math.MaxInt64}}, "from 0 to"},
		"tokens below none":      {Answer{Usage: &TaskUsage{InputTokens: -1}}, "from 0 to"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := tc.answer.result(t.Context(), aParent())
			if tc.says == "" && err != nil || tc.says != "" && (!errors.Is(err, ErrCommand) || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("got %v, want %q", err, tc.says)
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
