package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"atoll/engine/sandbox"
)

// Names of the files that describe a plug-in.
const (
	ManifestName  = "plugin.yaml"
	SignatureName = ManifestName + ".minisig"
)

// Protocol is the version of the messages that this program speaks.
const Protocol = 1

// Kind is what a plug-in is for.
type Kind string

// The kinds.
const (
	Evaluator  Kind = "evaluator"  // measures a tree
	Agent      Kind = "agent"      // edits a tree by a prompt
	Operator   Kind = "operator"   // makes changes from the texts of candidates
	Descriptor Kind = "descriptor" // says where a tree belongs on the map
	Embedder   Kind = "embedder"   // turns files into vectors
	Auditor    Kind = "auditor"    // finds what should be mended
	Notifier   Kind = "notifier"   // tells a person of news
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Evaluator, Agent, Operator, Descriptor, Embedder, Auditor, Notifier}
}

// Manifest is plugin.yaml.
type Manifest struct {
	Name     string   `yaml:"name"`
	Version  string   `yaml:"version"`
	Kind     Kind     `yaml:"kind"`
	Protocol int      `yaml:"protocol"`
	Command  []string `yaml:"command,flow"` // {dir} is the folder of the plug-in
	// Capabilities of an operator are the operators that it carries out; other kinds
	// have none.
	Capabilities []string          `yaml:"capabilities,omitempty,flow"`
	Limits       Limits            `yaml:"limits,omitempty"`
	Permissions  Permissions       `yaml:"permissions,omitempty"`
	Sample       string            `yaml:"sample,omitempty"` // folder with a tree to be checked on
	Files        map[string]string `yaml:"files"`            // sha256 in hexadecimal, by path
}

// Limits bound one call; 0 takes the default.
type Limits struct {
	Seconds   int `yaml:"seconds,omitempty"`   // 30
	MemoryMB  int `yaml:"memory_mb,omitempty"` // 512
	Processes int `yaml:"processes,omitempty"` // 32
	OutputKB  int `yaml:"output_kb,omitempty"` // 1024, of stdout and stderr
}

// Of returns the limits of a run of the sandbox, none wider than most allows.
func (l Limits) Of(most sandbox.Limits) sandbox.Limits {
	or := func(v, otherwise int) int64 {
		if v == 0 {
			v = otherwise
		}
		return int64(v)
	}
	out := sandbox.Limits{
		Wall: time.Duration(or(l.Seconds, 30)) * time.Second, CPU: most.CPU, Memory: or(l.MemoryMB, 512) << 20, Procs: int(or(l.Processes, 32)),
		Output: or(l.OutputKB, 1024) << 10, Disk: most.Disk,
	}
	if most.Wall > 0 {
		out.Wall = min(out.Wall, most.Wall)
	}
	if most.Memory > 0 {
		out.Memory = min(out.Memory, most.Memory)
	}
	if most.Procs > 0 {
		out.Procs = min(out.Procs, most.Procs)
	}
	if most.Output > 0 {
		out.Output = min(out.Output, most.Output)
	}
	return out
}

// Permissions are what a plug-in may do beyond computing on what it is sent.
type Permissions struct {
	Net   bool     `yaml:"net,omitempty" json:"net,omitempty"`          // the network of this machine
	Env   []string `yaml:"env,omitempty,flow" json:"env,omitempty"`     // variables of this process, by name
	Paths []Path   `yaml:"paths,omitempty,flow" json:"paths,omitempty"` // folders and files outside
}

// Path is a file or folder of this machine that a plug-in sees.
type Path struct {
	Path  string `yaml:"path" json:"path"` // absolute
	Write bool   `yaml:"write,omitempty" json:"write,omitempty"`
}

// List says each permission in a line for people.
func (p Permissions) List() []string {
	var out []string
	if p.Net {
		out = append(out, "the network of this machine")
	}
	for _, name := range p.Env {
		out = append(out, "the variable "+name)
	}
	for _, f := range p.Paths {
		verb := "read "
		if f.Write {
			verb = "read and write "
		}
		out = append(out, verb+f.Path)
	}
	return out
}

// within reports whether p asks for nothing that q does not have.
func (p Permissions) within(q Permissions) bool {
	if p.Net && !q.Net {
		return false
	}
	for _, name := range p.Env {
		if !slices.Contains(q.Env, name) {
			return false
		}
	}
	for _, f := range p.Paths {
		if !slices.ContainsFunc(q.Paths, func(g Path) bool { return g.Path == f.Path && (g.Write || !f.Write) }) {
			return false
		}
	}
	return true
}

var (
	nameForm    = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	versionForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+){0,2}([-+][0-9A-Za-z.-]+)?$`)
	hashForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	envForm     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// parseManifest reads and checks plugin.yaml. The error is an ErrManifest.
func parseManifest(data []byte) (Manifest, error) {
	m, err := decodeManifest(data)
	if err != nil {
		return m, err
	}
	if why := m.wrong(); why != "" {
		return m, fmt.Errorf("%w: %s: %s", ErrManifest, ManifestName, why)
	}
	return m, nil
}

// decodeManifest reads one document of known keys. The error is an ErrManifest.
func decodeManifest(data []byte) (Manifest, error) {
	var m Manifest
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&m); err != nil {
		return m, fmt.Errorf("%w: %s: %s", ErrManifest, ManifestName, strings.ReplaceAll(err.Error(), "not found in type plugin.Manifest", "is no key of a manifest"))
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%w: %s holds more than one document", ErrManifest, ManifestName)
	}
	return m, nil
}

// wrong says what is wrong with a manifest, or "".
func (m *Manifest) wrong() string {
	switch {
	case !nameForm.MatchString(m.Name):
		return fmt.Sprintf("name %q: write small letters, digits and -, at most 40", m.Name)
	case !versionForm.MatchString(m.Version):
		return fmt.Sprintf("version %q: write one like 1.0.2", m.Version)
	case !slices.Contains(Kinds(), m.Kind):
		return fmt.Sprintf("kind %q: write one of %s", m.Kind, join(Kinds()))
	case m.Protocol != Protocol:
		return fmt.Sprintf("protocol %d: this atoll speaks %d", m.Protocol, Protocol)
	case len(m.Command) == 0 || m.Command[0] == "":
		return "command names no program"
	case len(m.Files) == 0:
		return "files lists nothing: `atoll plugin sign` fills it"
	}
	for path, sum := range m.Files {
		if !filepath.IsLocal(path) || filepath.Clean(path) != path || path == ManifestName || path == SignatureName {
			return fmt.Sprintf("files lists %q, which is no path of a file of the plug-in", path)
		}
		if !hashForm.MatchString(sum) {
			return fmt.Sprintf("files: the sha256 of %s is not 64 hexadecimal digits", path)
		}
	}
	if why := m.lacksFile(); why != "" {
		return why
	}
	return m.wrongRights()
}

// lacksFile says which file the command or the sample names that is not listed.
func (m *Manifest) lacksFile() string {
	for _, word := range m.Command {
		if file, ok := strings.CutPrefix(word, "{dir}/"); ok && m.Files[file] == "" {
			return fmt.Sprintf("command names {dir}/%s, which is not among files: build it, then `atoll plugin sign`", file)
		}
	}
	if strings.Contains(m.Command[0], "/") && !strings.HasPrefix(m.Command[0], "{dir}/") {
		return fmt.Sprintf("command starts %s: name a program of PATH, or a file of the plug-in as {dir}/NAME", m.Command[0])
	}
	if m.Sample != "" && (!filepath.IsLocal(m.Sample) || !slices.ContainsFunc(sortedKeys(m.Files), func(f string) bool { return strings.HasPrefix(f, m.Sample+"/") })) {
		return fmt.Sprintf("sample %q is no folder of the plug-in with listed files", m.Sample)
	}
	return ""
}

// wrongRights says what is wrong with limits, capabilities and permissions.
func (m *Manifest) wrongRights() string {
	l := m.Limits
	switch {
	case min(l.Seconds, l.MemoryMB, l.Processes, l.OutputKB) < 0 || l.Seconds > 3600 || l.MemoryMB > 65536 || l.Processes > 4096 || l.OutputKB > 65536:
		return "limits are out of range: at most seconds 3600, memory_mb 65536, processes 4096, output_kb 65536"
	case m.Kind == Evaluator && m.Permissions.Net:
		return "an evaluator cannot have the network: the candidate's code that it starts would have it, too"
	case m.Kind == Operator && len(m.Capabilities) == 0:
		return "capabilities: name the operators that it carries out, such as [mutate]"
	case m.Kind != Operator && len(m.Capabilities) > 0:
		return fmt.Sprintf("capabilities: a plug-in of kind %s has none", m.Kind)
	}
	for _, c := range m.Capabilities {
		if !slices.Contains(operators(), c) {
			return fmt.Sprintf("capabilities: there is no operator %q; write %s", c, strings.Join(operators(), ", "))
		}
	}
	for _, name := range m.Permissions.Env {
		if !envForm.MatchString(name) || strings.HasPrefix(name, "ATOLL_") || name == "PATH" || strings.HasPrefix(name, "LD_") {
			return fmt.Sprintf("permissions.env: %q cannot be asked for", name)
		}
	}
	for _, p := range m.Permissions.Paths {
		if !filepath.IsAbs(p.Path) || filepath.Clean(p.Path) != p.Path || p.Path == "/" {
			return fmt.Sprintf("permissions.paths: %q is no absolute path below /", p.Path)
		}
	}
	return ""
}

// operators are those that a plug-in can carry out.
func operators() []string {
	return []string{"tune", "mutate", "crossover", "synergy", "structural", "repair", "rewrite", "meta"}
}

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}
