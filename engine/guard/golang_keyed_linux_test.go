package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// keyedSource keeps notes by a key, which one method alone tells, and most of what makes it needs a file.
const keyedSource = `package kit

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
)

// Notes are values by key, and what is noted of some keys.
type Notes struct{ values, notes map[string]string }

// Way is how text is read.
type Way uint

// The ways.
const (
	Plain Way = 31 + iota
	Noted
)

func none() *Notes { return &Notes{map[string]string{}, map[string]string{}} }

// Parse reads lines such as "key=value", in the way Noted with a line "#note" before it.
func Parse(text string, way Way) (*Notes, error) {
	if way != Plain && way != Noted {
		return nil, errors.New("no way")
	}
	n, note := none(), ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") && way == Noted {
			note = line[1:]
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if n.values[key] = value; note != "" {
			n.notes[key] = note
		}
		note = ""
	}
	return n, nil
}

func read(name string) (*Notes, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(string(data), Plain)
}

// Open reads a file.
func Open(name string) (*Notes, error) { return read(name) }

// Load reads a file of a folder.
func Load(folder, name string) (*Notes, error) { return read(folder + "/" + name) }

// First reads the first file of some.
func First(names []string) (*Notes, error) {
	if len(names) == 0 {
		return nil, errors.New("no file")
	}
	return read(names[0])
}

// Len is how many keys there are.
func (n *Notes) Len() int { return len(n.values) }

// Note is what is noted of a key.
func (n *Notes) Note(key string) string { return n.notes[key] }

// Merge takes the values and notes of others.
func (n *Notes) Merge(other *Notes) {
	for key, value := range other.values {
		n.values[key] = value
	}
	for key, note := range other.notes {
		n.notes[key] = note
	}
}

// Rank is the nearest rank of a list at so many percent.
func Rank(data []float64, percent float64) (float64, error) {
	if len(data) == 0 || !(percent > 0 && percent <= 100) {
		return 0, errors.New("no rank")
	}
	data = slices.Sorted(slices.Values(data))
	return data[int(math.Ceil(float64(len(data))*percent/100))-1], nil
}
`

func TestWhatAKeyOrARoundNumberAloneShowsIsFoundInGoCode(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module twice with all its inputs; the parts of the probe are tested every day")
	mustHave(t, "go")
	root := mustTable(t, guard.Options{NoTests: true}, mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.24\n", "kit.go": keyedSource, "kit_test.go": `package kit

import "testing"

func TestParse(t *testing.T) {
	if n, err := Parse("#what it is\nname=kit\nsize=3", Noted); err != nil || n.Len() != 2 {
		t.Fatal(n, err)
	}
}
`}))
	for _, tt := range []struct {
		name  string
		want  []string
		edits []string
	}{
		{"notes of keys without one are lost, and a share is rounded before it is multiplied", []string{"kit.Notes.Merge", "kit.Rank"}, []string{
			"\t\tn.values[key] = value\n\t}\n\tfor key, note := range other.notes {\n\t\tn.notes[key] = note\n", "\t\tn.values[key] = value\n\t\tdelete(n.notes, key)\n\t\tif note, ok := other.notes[key]; ok {\n\t\t\tn.notes[key] = note\n\t\t}\n",
			"float64(len(data))*percent/100", "percent/100*float64(len(data))",
		}},
		{"notes of others by a copy, and a rank in two steps", nil, []string{
			"for key, note := range other.notes {\n\t\tn.notes[key] = note\n\t}", "maps.Copy(n.notes, other.notes)", "\t\"math\"\n", "\t\"maps\"\n\t\"math\"\n",
			"return data[int(math.Ceil(float64(len(data))*percent/100))-1], nil", "at := math.Ceil(percent * float64(len(data)) / 100)\n\treturn data[int(at)-1], nil",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantWhere(t, root.mustCheck(t, "kit.go", tt.edits...), tt.want...)
		})
	}
}
