package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FileName is the configuration file of a repository.
const FileName = "atoll.yaml"

// maxFile bounds a configuration file, in bytes.
const maxFile = 1 << 20

// OriginKind says which source gave a value.
type OriginKind string

// The sources, weakest first.
const (
	FromDefault OriginKind = "default"
	FromFile    OriginKind = "file"
	FromEnv     OriginKind = "environment"
	FromFlag    OriginKind = "flag"
)

// Origin is where a value came from.
type Origin struct {
	Kind   OriginKind `json:"kind"`
	Name   string     `json:"name,omitempty"` // file, variable or flag
	Line   int        `json:"line,omitempty"` // in the file, from 1
	Column int        `json:"column,omitempty"`
}

// String returns "default", "atoll.yaml:12", "environment ATOLL_WORKERS" or
// "flag --workers".
func (o Origin) String() string {
	switch o.Kind {
	case FromFile:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	case FromEnv, FromFlag:
		return string(o.Kind) + " " + o.Name
	}
	return string(FromDefault)
}

// place is the origin with its column, as problems show it.
func (o Origin) place() string {
	switch {
	case o.Kind == FromFile && o.Line > 0:
		return fmt.Sprintf("%s:%d:%d", o.Name, o.Line, o.Column)
	case o.Kind == "" || o.Kind == FromDefault:
		return ""
	}
	return o.String()
}

// Flag is one value from the command line.
type Flag struct {
	Key   string // dotted: "evaluator.timeout", "search.operators.tune", "agents.codex.weight"
	Value string
	Name  string // as the person typed it, "--workers" or "--set"
}

// LoadOptions say where to look. The zero value gives the defaults.
type LoadOptions struct {
	// Dir is the folder of atoll.yaml, usually the repository's. Its name is
	// the default name of the experiment.
	Dir string
	// File is another file than Dir/atoll.yaml. It must exist unless Data is
	// given; Dir/atoll.yaml may be missing.
	File string
	// Data is the content, already read; File is then only its name.
	Data []byte
	// Env is the environment as os.Environ gives it.
	Env   []string
	Flags []Flag
}

// Loaded is a configuration and where each value came from.
type Loaded struct {
	Config
	File    string            // that was read, "" for none
	Dir     string            // relative paths of the configuration start here
	Origins map[string]Origin // by dotted key; a key that is missing is a default
	given   bool              // the content came from the caller: there may be no folder
}

// Complete is [Config.Complete], and says when the evaluator's folder is not
// there.
func (l Loaded) Complete() Problems {
	problems := l.Config.Complete()
	dir := l.Evaluator.Dir
	if dir == "" || l.given {
		return problems
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		problems = append(problems, l.Problem("evaluator.dir",
			fmt.Sprintf("there is no folder %s; name the folder of your evaluator, relative to %s", l.Evaluator.Dir, FileName)))
	}
	return problems
}

// Problem is something that is wrong with the value of a key, with where it stands.
func (l Loaded) Problem(key, text string) Problem {
	o := l.Origin(key)
	return Problem{Source: o.place(), Line: o.Line, Column: o.Column, Key: key, Text: text}
}

// Origin returns where the value of a dotted key came from. A key inside a
// list or map falls back to the key that holds it.
func (l Loaded) Origin(key string) Origin {
	for key != "" {
		if o, ok := l.Origins[key]; ok {
			return o
		}
		i := strings.LastIndexAny(key, ".[")
		if i < 0 {
			break
		}
		key = key[:i]
	}
	return Origin{Kind: FromDefault}
}

// Load merges defaults, file, environment and flags, and checks the result.
// The error is a [Problems] with everything that is wrong at once, or says why
// the file could not be read.
func Load(o LoadOptions) (Loaded, error) {
	l := Loaded{Config: Defaults(), Dir: o.Dir, Origins: map[string]Origin{}}
	if abs, err := filepath.Abs(o.Dir); err == nil && filepath.Base(abs) != string(filepath.Separator) {
		l.Name = plainName(filepath.Base(abs))
	}
	data, err := l.read(o)
	if err != nil {
		return Loaded{}, err
	}
	d := decoder{file: shortName(l.File), origins: l.Origins}
	fields := schema()
	root := reflect.ValueOf(&l.Config).Elem()
	if l.File != "" {
		d.document(fields, root, data)
		l.fillNames() // an override may name an element
	}
	d.environment(fields, root, o.Env)
	for _, f := range o.Flags {
		d.flag(fields, root, f)
	}
	l.findCaches()
	l.findInterpreters()
	_, operators := l.Origins["search.operators"]
	l.fill(operators)
	for _, p := range l.Config.Validate() {
		if d.knows(p.Key) {
			continue
		}
		d.problems = append(d.problems, l.Problem(p.Key, p.Text))
	}
	d.problems.sort()
	return l, d.problems.err()
}

// findCaches makes the paths of caches that are relative to the folder of the file absolute.
func (l *Loaded) findCaches() {
	dir, err := filepath.Abs(l.Dir)
	if err != nil || l.Dir == "" {
		return
	}
	caches := slices.Clone(l.Evaluator.Caches)
	for i, c := range caches {
		if strings.Contains(c, "/") && !filepath.IsAbs(c) && c[0] != '~' {
			caches[i] = filepath.Join(dir, c)
		}
	}
	l.Evaluator.Caches = caches
}

// plainName makes a name of a folder's: - for what is no character to be shown.
func plainName(folder string) string {
	return strings.Map(func(r rune) rune {
		if unshown(r) {
			return '-'
		}
		return r
	}, strings.ToValidUTF8(folder, "-"))
}

// knows reports whether a problem of this key was already noted.
func (d *decoder) knows(key string) bool {
	for _, p := range d.problems {
		if key != "" && p.Key == key {
			return true
		}
	}
	return false
}

// read returns the content of the file and sets File and Dir.
func (l *Loaded) read(o LoadOptions) ([]byte, error) {
	name := o.File
	if name == "" {
		name = filepath.Join(o.Dir, FileName)
	}
	if o.File != "" && o.Dir == "" {
		l.Dir = filepath.Dir(o.File)
	}
	if o.Data != nil {
		l.File, l.given = name, true
		return o.Data, nil
	}
	data, err := readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.File == "":
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read the configuration: there is no file %s; write one with atoll init: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	l.File = name
	return data, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %s", name, FormatSize(maxFile))
	}
	return data, err
}

// shortName is how messages call the file.
func shortName(path string) string {
	if path == "" {
		return FileName
	}
	if filepath.Base(path) == FileName {
		return FileName
	}
	return path
}

// document reads the one YAML document of the file.
func (d *decoder) document(fields []field, root reflect.Value, data []byte) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return // empty, or only comments
	case err != nil:
		d.syntax(err)
		return
	}
	if len(doc.Content) > 0 {
		d.section(fields, "", root, doc.Content[0])
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		d.problem(&more, "", "a second document; keep everything above the line ---")
	} else if !errors.Is(err, io.EOF) {
		d.syntax(err)
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntax notes an error of the YAML reader, which names a line at most.
func (d *decoder) syntax(err error) {
	n := &yaml.Node{}
	text := err.Error()
	if m := yamlLine.FindStringSubmatch(strings.ReplaceAll(text, "\n", " ")); m != nil {
		n.Line, _ = strconv.Atoi(m[1])
		n.Column = 1
		text = m[2]
	}
	d.problem(n, "", "this is no YAML: %s", text)
}

// Advice is [Config.Advice] with the flag or variable that gave a value named in the place
// of its key, because it wins over the file.
func (l Loaded) Advice() []string {
	out := l.Config.Advice()
	const key = "budget.jobs"
	if o := l.Origins[key]; o.Kind == FromFlag || o.Kind == FromEnv {
		for i := range out {
			out[i] = strings.ReplaceAll(out[i], "Raise "+key, "Raise "+o.Name)
		}
	}
	return out
}
