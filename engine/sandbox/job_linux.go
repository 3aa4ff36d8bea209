package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"atoll/engine/sandbox/boot/wire"
)

// Bounds of what comes back.
const (
	maxResult       = 8 << 20 // of the result file
	maxProduct      = 64 << 20
	maxHarvestFile  = 16 << 20 // of one changed file
	maxHarvestTotal = 128 << 20
	defaultOutput   = 64 << 20
	grace           = 300 * time.Millisecond // between SIGTERM and SIGKILL
)

// job turns a Spec into the message for the first process. Stage is the folder
// to mount on, or on the lower rungs the private folder of the run.
func (b *Box) job(s *Spec, stage string) (*wire.Job, error) {
	if err := check(s); err != nil {
		return nil, err
	}
	net := s.Net
	if net == "" {
		net = NetNone
	}
	code, err := b.filter(audience{rung: b.rung, net: net, watching: s.Watching && b.rung == Landlock})
	if err != nil {
		return nil, err
	}
	narrow, err := b.filter(audience{rung: b.rung, net: net, candidate: b.rung == Namespaces})
	if err != nil {
		return nil, err
	}
	j := &wire.Job{
		Rung: int(b.rung), Stage: stage, Base: s.Base, Hidden: slices.Clone(s.Hidden), ReadOnly: s.TreeReadOnly, NoOverlay: b.lack.overlay,
		Command: wire.Command{Args: slices.Clone(s.Args), Env: b.environ(s), Dir: s.Dir, Nice: b.facts.nice, Slack: b.facts.slack},
		Limits: wire.Limits{
			Wall: int64(s.Limits.Wall), Grace: int64(grace), CPU: int64(s.Limits.CPU), Memory: s.Limits.Memory, Disk: s.Limits.Disk,
			Procs: int64(s.Limits.Procs), PidMax: b.pidMax(s.Limits.Procs), ProcLimit: b.facts.procLimit && b.rung == Namespaces,
		},
		Net: wire.Net{Own: net != NetHost},
		Take: wire.Take{
			Result: s.ResultName, ResultMax: maxResult, Product: s.Product, ProductMax: maxProduct,
			Changes: s.Harvest, FileMax: maxHarvestFile, TotalMax: maxHarvestTotal, Skip: s.HarvestSkip,
		},
		MaskProc: b.facts.root, Filter: code, Narrow: narrow, ABI: int64(b.facts.abi), Fence: int64(b.fence),
	}
	for _, c := range s.Delta {
		j.Delta = append(j.Delta, wire.Change{Path: c.Path, Mode: uint32(c.Mode), Data: c.Data})
	}
	for _, x := range s.Seal {
		j.Seals = append(j.Seals, wire.Pair{A: x.Path, B: x.Host})
	}
	for name, data := range s.Files {
		j.Files = append(j.Files, wire.File{Path: name, Mode: 0o644, Data: data})
	}
	sort.Slice(j.Files, func(a, c int) bool { return j.Files[a].Path < j.Files[c].Path })
	if s.RunHelper {
		j.Launcher = b.exe
	}
	b.lay(j, s, net)
	if b.rung != Namespaces {
		b.trimPath(j)
		b.rename(j)
		j.Command.Env = append(j.Command.Env, mark(stage))
	}
	return j, nil
}

// filter returns the system call filter for an audience, assembled once.
func (b *Box) filter(a audience) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if code, ok := b.filters[a]; ok {
		return code, nil
	}
	code, err := filter(a)
	if err != nil {
		return nil, err
	}
	if b.filters == nil {
		b.filters = map[audience][]byte{}
	}
	b.filters[a] = code
	return code, nil
}

// check refuses what cannot be run.
func check(s *Spec) error {
	if len(s.Args) == 0 || s.Args[0] == "" {
		return fmt.Errorf("%w: no command", ErrSpec)
	}
	for _, path := range append([]string{s.Base}, hosts(s)...) {
		if path != "" && !filepath.IsAbs(path) {
			return fmt.Errorf("%w: %q is not absolute", ErrSpec, path)
		}
	}
	for _, m := range append(slices.Clone(s.Mounts), s.Caches...) {
		if err := clean(m.At); err != nil {
			return err
		}
	}
	for name := range s.Files {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
			return fmt.Errorf("%w: %q is no name for a control file", ErrSpec, name)
		}
	}
	if strings.ContainsAny(s.ResultName, "/\x00") || s.ResultName == ".." || s.ResultName == "." {
		return fmt.Errorf("%w: %q is no name for a result file", ErrSpec, s.ResultName)
	}
	if s.Product != "" && (!filepath.IsLocal(s.Product) || filepath.Clean(s.Product) != s.Product) {
		return fmt.Errorf("%w: %q is no path of a file in the tree", ErrSpec, s.Product)
	}
	switch s.Net {
	case "", NetNone, NetHost:
	case NetGateway:
		if s.Gateway == "" {
			return fmt.Errorf("%w: network mode gateway without a gateway socket", ErrSpec)
		}
	default:
		return fmt.Errorf("%w: network mode %q: use none, gateway or host", ErrSpec, s.Net)
	}
	for _, text := range append(append([]string{s.Dir}, s.Args...), s.Env...) {
		if strings.IndexByte(text, 0) >= 0 {
			return fmt.Errorf("%w: a zero byte in %q", ErrSpec, text)
		}
	}
	return nil
}

// hosts lists the host paths of a Spec.
func hosts(s *Spec) []string {
	var list []string
	for _, m := range append(slices.Clone(s.Mounts), s.Caches...) {
		list = append(list, m.Host)
	}
	for _, x := range s.Seal {
		list = append(list, x.Host)
	}
	return list
}

// lay adds mounts, links, small files and the network.
func (b *Box) lay(j *wire.Job, s *Spec, net NetMode) {
	if b.rung == Namespaces {
		j.Mounts = append(append(j.Mounts, b.system.mounts...), covers(b.system.secrets)...)
		j.Links, j.Texts = b.system.links, b.system.texts
		if net == NetHost {
			if data, err := os.ReadFile("/etc/resolv.conf"); err == nil {
				j.Texts = append(slices.Clone(j.Texts), text("/etc/resolv.conf", string(data)))
			}
		}
		if net == NetGateway {
			j.Net.Gateway, j.Net.Port = s.Gateway, gatewayPort
		}
	} else {
		j.Mounts = append(j.Mounts, b.system.readable()...)
	}
	for _, m := range s.Mounts {
		if !m.Write && m.Host == m.At && b.system.covered(m.At) {
			continue
		}
		j.Mounts = append(j.Mounts, wire.Mount{Host: m.Host, At: m.At, Write: m.Write, Private: m.Private, Optional: m.Optional})
	}
	for _, m := range s.Caches {
		j.Mounts = append(j.Mounts, wire.Mount{Host: m.Host, At: m.At, Overlay: m.Write, Private: m.Private, Optional: true, Partial: m.Partial})
	}
}

// environ completes the environment.
func (b *Box) environ(s *Spec) []string {
	env := slices.Clone(s.Env)
	add := func(name, value string) {
		for _, e := range env {
			if strings.HasPrefix(e, name+"=") {
				return
			}
		}
		env = append(env, name+"="+value)
	}
	add("PATH", "/usr/local/bin:/usr/bin:/bin")
	add("HOME", HomeDir)
	add("TMPDIR", TmpDir)
	if s.ResultName != "" {
		add("ATOLL_RESULT", ControlDir+"/"+s.ResultName)
	}
	if _, ok := s.Files[ContextName]; ok {
		add("ATOLL_CONTEXT", ContextPath)
	}
	if s.RunHelper {
		add("ATOLL_RUN", RunPath)
	}
	return env
}

// trimPath takes folders out of the command's PATH that the command may not
// open: they can be seen on rung 2, and a shell that finds a program there stops
// looking and fails.
func (b *Box) trimPath(j *wire.Job) {
	if b.rung != Landlock {
		return
	}
	for i, e := range j.Command.Env {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		var kept []string
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) || slices.ContainsFunc(j.Mounts, func(m wire.Mount) bool { return inside(dir, m.At) }) || inside(dir, wire.Root) {
				kept = append(kept, dir)
			}
		}
		if len(kept) > 0 {
			j.Command.Env[i] = "PATH=" + strings.Join(kept, ":")
		}
	}
}

// rename replaces the inside paths by the real ones where nothing is mounted.
func (b *Box) rename(j *wire.Job) {
	pairs := [][2]string{
		{TreeDir, j.Stage + "/tree"},
		{ScratchDir, j.Stage + "/scratch"},
		{ControlDir, j.Stage + "/control"},
		{wire.BinDir, j.Stage + "/bin"},
		{CacheDir, j.Stage + "/cache"},
	}
	for i := range j.Mounts {
		m := &j.Mounts[i]
		if m.Overlay {
			real := j.Stage + "/cached/" + strconv.Itoa(i)
			if below, ok := strings.CutPrefix(m.At, CacheDir+"/"); ok { // tools are told of folders above, too
				real = j.Stage + "/cache/" + below
			}
			pairs = append(pairs, [2]string{m.At, real})
			m.At = real
		} else if m.At != m.Host {
			pairs = append(pairs, [2]string{m.At, m.Host})
			m.At = m.Host
		}
	}
	sort.SliceStable(pairs, func(a, c int) bool { return len(pairs[a][0]) > len(pairs[c][0]) })
	var flat []string
	for _, p := range pairs {
		flat = append(flat, p[0], p[1])
	}
	r := strings.NewReplacer(flat...)
	for _, list := range [][]string{j.Command.Args, j.Command.Env, j.Hidden} {
		for i := range list {
			list[i] = r.Replace(list[i])
		}
	}
	for i := range j.Files {
		j.Files[i].Data = []byte(r.Replace(string(j.Files[i].Data)))
	}
}
