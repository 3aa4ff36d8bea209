package plugin

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed templates
var templates embed.FS

// language is how a fresh plug-in is written and started.
type language struct {
	name, template, file string
	command              []string
	build                string // what has to be done before it starts, "" = nothing
}

func languages() []language {
	return []language{
		{"python", "plugin.py.tmpl", "plugin.py", []string{"python3", "{dir}/plugin.py"}, ""},
		{"javascript", "plugin.js.tmpl", "plugin.js", []string{"node", "{dir}/plugin.js"}, ""},
		{"go", "main.go.tmpl", "main.go", []string{"{dir}/plugin"}, "go build -o plugin ."},
	}
}

// Languages returns the names of the languages that [New] writes.
func Languages() []string {
	var out []string
	for _, l := range languages() {
		out = append(out, l.name)
	}
	return out
}

// does says what the template of a kind does.
func does(k Kind) string {
	return map[Kind]string{
		Evaluator: "it adds up the numbers in text files", Agent: "it appends a number to a text file", Operator: "it puts another number for the first one",
		Descriptor: "it tells the longest line", Embedder: "it counts letters", Auditor: "it looks for TODO in Python files", Notifier: "it writes news to its log",
	}[k]
}

// New writes a small working plug-in into a new folder. build is the command that
// has to run in it before it can start, "" for none.
func New(dir, name string, kind Kind, lang string) (build string, err error) {
	var l language
	for _, known := range languages() {
		if known.name == lang {
			l = known
		}
	}
	if l.name == "" {
		return "", fmt.Errorf("there is no template in %q: write %s", lang, strings.Join(Languages(), ", "))
	}
	m := Manifest{Name: name, Version: "0.1.0", Kind: kind, Protocol: Protocol, Command: l.command, Files: map[string]string{l.file: strings.Repeat("0", 64)}}
	if l.build != "" {
		m.Files["plugin"] = m.Files[l.file]
	}
	if l.name == "javascript" { // its run time reserves more than it uses
		m.Limits = Limits{MemoryMB: 1024}
	}
	if kind == Operator {
		m.Capabilities = []string{"mutate"}
	}
	if why := m.wrong(); why != "" {
		return "", fmt.Errorf("%w: %s", ErrManifest, why)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the folder of the plug-in: %w", err)
	}
	t, err := template.ParseFS(templates, "templates/"+l.template)
	if err != nil {
		return "", fmt.Errorf("read the template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, struct{ Name, Kind, Method, Does string }{name, string(kind), Method(kind), does(kind)}); err != nil {
		return "", fmt.Errorf("write %s: %w", l.file, err)
	}
	files := map[string][]byte{l.file: b.Bytes()}
	if l.name == "go" {
		files["go.mod"] = []byte("module example.org/" + name + "\n\ngo 1.24\n")
	}
	m.Files = nil
	manifest, err := yaml.Marshal(m)
	files[ManifestName] = manifest
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	if err != nil {
		return "", fmt.Errorf("write the plug-in: %w", err)
	}
	if l.build == "" {
		_, err = Fill(dir)
	}
	return l.build, err
}
