package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atoll/config"
	"atoll/engine/behavior"
	"atoll/engine/plugin"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Plugins are the plug-ins that place candidates: descriptors, whose metrics join
// those of the evaluator, and an embedder.
type Plugins struct {
	host        *plugin.Host
	descriptors []*plugin.Plugin
	embedder    *plugin.Plugin // nil: the built-in one
}

// OpenPlugins opens the plug-ins of a configuration whose folders are absolute.
// Errors are those of [plugin.Open].
func OpenPlugins(box *sandbox.Box, cfg config.Config, getenv func(string) string) (*Plugins, error) {
	l := cfg.Limits
	p := &Plugins{host: &plugin.Host{Box: box, Getenv: getenv, Most: sandbox.Limits{Memory: l.Memory, Procs: l.Procs, Disk: l.Disk}}}
	for _, dir := range cfg.Plugins.Descriptors {
		d, err := plugin.OpenAs(dir, getenv, plugin.Descriptor)
		if err != nil {
			return nil, err
		}
		p.descriptors = append(p.descriptors, d)
	}
	if dir := cfg.Plugins.Embedder; dir != "" {
		e, err := plugin.OpenAs(dir, getenv, plugin.Embedder)
		if err != nil {
			return nil, err
		}
		p.embedder = e
	}
	return p, nil
}

// errPlugin marks a plug-in that failed on a candidate; the run goes on.
var errPlugin = errors.New("it cannot be placed")

// failed marks what a plug-in did wrong; the end of the context and what the
// machine did wrong stay as they are.
func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, known := range []error{plugin.ErrLimit, plugin.ErrProtocol, plugin.ErrAnswer} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %w", errPlugin, err)
		}
	}
	return err
}

// describe asks all descriptors about a tree.
func (p *Plugins) describe(ctx context.Context, base string, delta []record.Change) ([]record.Metric, error) {
	var out []record.Metric
	for _, d := range p.descriptors {
		reply, err := p.host.Call(ctx, d, plugin.Call{Params: plugin.Nothing{}, Base: base, Delta: delta})
		if err != nil {
			return nil, failed(ctx, err)
		}
		metrics, err := plugin.ReadMetrics(reply.Result)
		if err != nil {
			return nil, failed(ctx, fmt.Errorf("plug-in %s: %w", d.Name, err))
		}
		out = append(out, metrics...)
	}
	return out, nil
}

// join adds metrics that others measured to those of the evaluator. No two may have one
// name.
func join(metrics, more []record.Metric) ([]record.Metric, error) {
	out := slices.Clone(metrics)
	for _, m := range more {
		if slices.ContainsFunc(out, func(o record.Metric) bool { return o.Name == m.Name }) {
			return nil, fmt.Errorf("%w: two report a metric %s: the evaluator, a descriptor or the auditor", errPlugin, m.Name)
		}
		out = append(out, m)
	}
	return out, nil
}

// embedder turns files into vectors, one each, all of one length.
type embedder interface {
	ID() string
	embed(ctx context.Context, files []plugin.Text) ([][]float32, error)
}

// lexical is the built-in embedder.
type lexical struct{ behavior.Embedder }

func (l lexical) embed(_ context.Context, files []plugin.Text) ([][]float32, error) {
	out := make([][]float32, len(files))
	for i, f := range files {
		out[i] = l.Embed(f.Path, []byte(f.Text))
	}
	return out, nil
}

// foreign is an embedder that is a plug-in.
type foreign struct {
	host *plugin.Host
	p    *plugin.Plugin
}

// ID names the version: vectors of two of them never meet.
func (f foreign) ID() string { return fmt.Sprintf("plugin/%s/%.16s", f.p.Name, f.p.Hash) }

// maxEmbed bounds the texts of one call.
const maxEmbed = 4 << 20

func (f foreign) embed(ctx context.Context, files []plugin.Text) ([][]float32, error) {
	var out [][]float32
	for len(files) > 0 {
		n, room := 0, maxEmbed
		for n < len(files) && (n == 0 || len(files[n].Text) <= room) {
			room -= len(files[n].Text)
			n++
		}
		reply, err := f.host.Call(ctx, f.p, plugin.Call{Params: plugin.EmbedParams{Files: files[:n]}})
		if err != nil {
			return nil, failed(ctx, err)
		}
		vectors, err := plugin.ReadVectors(reply.Result, n)
		if err != nil {
			return nil, failed(ctx, fmt.Errorf("plug-in %s: %w", f.p.Name, err))
		}
		if len(out) > 0 && len(vectors[0]) != len(out[0]) {
			return nil, fmt.Errorf("%w: the vectors of the plug-in %s differ in length from call to call", errPlugin, f.p.Name)
		}
		out, files = append(out, vectors...), files[n:]
	}
	return out, nil
}
