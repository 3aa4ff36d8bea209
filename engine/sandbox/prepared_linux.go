package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"atoll/engine/sandbox/prepared"
)

// errUnfit reports that an interpreter cannot stand in for those of runs.
var errUnfit = errors.New("not prepared")

// CanPrepare reports why no run of this Box is a copy of a prepared interpreter, "" if some
// may be.
func (b *Box) CanPrepare() string {
	switch {
	case b.rung != Namespaces:
		return "a copy can be sent into the namespaces of rung 1 alone"
	case b.groups != nil:
		return "a copy cannot be born in the control group of its run"
	case b.facts.abi < inward:
		return fmt.Sprintf("Landlock version %d lets an interpreter signal processes outside; Linux 6.12 keeps it inside", b.facts.abi)
	}
	return ""
}

// inward is the version of Landlock that keeps signals inside a domain.
const inward = 6

// WhyStarted returns why a Spec is run by a command that is started and not by a copy of a
// prepared interpreter, "" if nothing is known against it. It says more when such runs were
// tried.
func (b *Box) WhyStarted(s *Spec) string {
	if s.Prepared == nil {
		return "no prepared interpreter is asked for"
	}
	_, why := b.preparable(s)
	if why != "" {
		return why
	}
	b.nursery.mu.Lock()
	defer b.nursery.mu.Unlock()
	if k := b.nursery.kinds[kindOf(s)]; k != nil && k.unfit != nil {
		return k.unfit.Error()
	}
	return ""
}

// preparable reads the command of a Spec, or says why no copy can stand in for it.
func (b *Box) preparable(s *Spec) (prepared.Command, string) {
	if why := b.CanPrepare(); why != "" {
		return prepared.Command{}, why
	}
	c, ok := prepared.Parse(s.Args)
	switch {
	case !ok:
		return c, "the command is not python3, flags, and the path of a script"
	case !inside(c.Script, ControlDir) && !s.closed(c.Script):
		return c, "the script lies where a candidate could put a module beside it: set evaluator.dir"
	case s.Stdin != nil || s.Dir != "" || s.Net != "" && s.Net != NetNone || s.Watching:
		return c, "the command is given more than a script needs"
	}
	if why := c.Shaped(s.Env); why != "" && !s.Prepared.All {
		return c, why
	}
	return c, ""
}

// closed reports a path in mounts of the Spec that no command of it can write to.
func (s *Spec) closed(path string) bool {
	mounted := false
	for _, m := range s.Mounts {
		if inside(path, m.At) {
			if m.Write {
				return false
			}
			mounted = true
		}
	}
	return mounted
}

// kindOf is a key of everything that runs must share to share an interpreter.
func kindOf(s *Spec) string {
	h := sha256.New()
	files := make([]string, 0, len(s.Files))
	for name := range s.Files {
		files = append(files, name)
	}
	slices.Sort(files)
	_ = json.NewEncoder(h).Encode([]any{s.Args, steady(s.Env), s.Mounts, s.Caches, s.Limits.Memory, s.Limits.Disk, s.Prepared, files})
	return hex.EncodeToString(h.Sum(nil))
}

// steady is an environment without what varies.
func steady(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, Varying+"=") })
}

// Prepare loads an interpreter for runs of this Spec, if there is none, and waits for it. The
// error says why there can be none.
func (b *Box) Prepare(ctx context.Context, s Spec) error {
	if s.Prepared == nil {
		return fmt.Errorf("%w: %s", ErrStarted, b.WhyStarted(&s))
	}
	if _, why := b.preparable(&s); why != "" {
		return fmt.Errorf("%w: %s", ErrStarted, why)
	}
	if why := b.WhyStarted(&s); why != "" {
		return fmt.Errorf("%w: %s", errUnfit, why)
	}
	key := kindOf(&s)
	for {
		r, wait, err := b.nursery.take(key, &s, true)
		if r != nil {
			b.nursery.give(key, r)
			return nil
		}
		if err != nil {
			return err
		}
		if wait == nil {
			return fmt.Errorf("%w: all are in use", errUnfit)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// LetGo ends the prepared interpreters that have a folder of the host mounted, for one that is to be removed. Those in a
// run end with it.
func (b *Box) LetGo(host string) { b.nursery.letGo(host) }

// runPrepared runs a Spec by a copy of a prepared interpreter. It is not done where there is
// none, or when one broke: then the command is to be started, for which nothing is lost, as
// a run changes nothing outside.
func (b *Box) runPrepared(ctx context.Context, s Spec) (_ Result, err error, done bool) {
	if _, why := b.preparable(&s); why != "" {
		return Result{}, nil, false
	}
	key := kindOf(&s)
	resident, _, _ := b.nursery.take(key, &s, false)
	if resident == nil {
		return Result{}, nil, false
	}
	job, err := b.job(&s, filepath.Join(b.dir, "stage"))
	if err != nil {
		b.nursery.give(key, resident)
		return Result{}, err, true
	}
	job.Guest = true
	r := &run{box: b, spec: &s, job: job, began: b.now(), copies: resident}
	res, err := r.do(ctx)
	switch {
	case err == nil && !r.killed:
		res.Prepared = true
		b.nursery.give(key, resident)
		return res, nil, true
	case ctx.Err() != nil || r.killed:
		b.nursery.retire(key, resident, nil)
		return res, err, true
	}
	b.nursery.retire(key, resident, err)
	return Result{}, nil, false
}
