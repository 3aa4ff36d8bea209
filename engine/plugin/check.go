package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"atoll/engine/agent/clean"
	"atoll/engine/eval/output"
)

// Verdict is one point of the conformance suite.
type Verdict struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"` // why not, or a figure
	Err    error  `json:"-"`
}

// suite is one run of the conformance suite.
type suite struct {
	h    *Host
	p    *Plugin
	base string          // the sample
	text []Text          // of its files
	said json.RawMessage // its first answer
	out  []Verdict
}

// Check runs the conformance suite on a plug-in, whoever trusts it: it runs in the
// sandbox with what its manifest asks for. t, which may be nil, has the keys that a
// signature is held against first. It stops at the first point that fails.
// The error is one of the machine.
func Check(ctx context.Context, h *Host, t *Trust, dir string) ([]Verdict, error) {
	s := &suite{h: h}
	p, err := Read(dir)
	damaged := errors.Is(err, ErrSignature) // the rest was read before it
	if damaged {
		s.point("manifest and files", nil, "")
	}
	if !damaged && !s.point("manifest and files", err, "") || damaged && !s.point("signature", err, "") {
		return s.out, nil
	}
	s.p = p
	detail, err := p.seal(t)
	if !s.point("signature", err, detail) {
		return s.out, nil
	}
	base, err := os.MkdirTemp("", "atoll-sample-")
	if err != nil {
		return s.out, fmt.Errorf("lay out the sample: %w", err)
	}
	defer os.RemoveAll(base)
	if s.base, err = p.sample(base); err != nil {
		return s.out, err
	}
	if s.text, err = textsOf(s.base); err != nil {
		return s.out, err
	}
	for _, step := range []func(context.Context) (bool, error){s.answers, s.twice, s.alone, s.unknown} {
		if ok, err := step(ctx); err != nil || !ok {
			return s.out, err
		}
	}
	return s.out, nil
}

// seal checks the signature and says in words whose it is, and whether the key is trusted.
func (p *Plugin) seal(t *Trust) (string, error) {
	id, trusted, err := p.Sealed(t)
	switch {
	case err != nil:
		return "", err
	case id == "":
		return "not signed; the hash is " + p.Hash, nil
	case trusted:
		return fmt.Sprintf("signed by the key %s, which you trust", id), nil
	}
	return fmt.Sprintf("signed by the key %s, which you do not trust", id), nil
}

// point notes a verdict, and reports whether it is good.
func (s *suite) point(name string, err error, detail string) bool {
	v := Verdict{Name: name, OK: err == nil, Detail: detail, Err: err}
	if err != nil {
		v.Detail = err.Error()
	}
	s.out = append(s.out, v)
	return v.OK
}

// sample lays out what a plug-in is tried on: the folder that its manifest names,
// else a small tree.
func (p *Plugin) sample(dir string) (string, error) {
	if p.Sample != "" {
		return filepath.Join(p.Dir, filepath.FromSlash(p.Sample)), nil
	}
	for _, f := range sampleFiles() {
		if err := os.WriteFile(filepath.Join(dir, f.Path), []byte(f.Text), 0o644); err != nil {
			return "", fmt.Errorf("lay out the sample: %w", err)
		}
	}
	return dir, nil
}

func sampleFiles() []Text {
	return []Text{{"numbers.txt", "first 1.5\nsecond 40\n"}, {"program.py", "print(1)  # TODO: print 2\n"}}
}

// maxSample bounds the texts of a sample that a plug-in is sent.
const maxSample = 1 << 20

// textsOf reads the text files below a folder, in the order of their paths, until the room
// is used up.
func textsOf(dir string) ([]Text, error) {
	out, left := []Text{}, maxSample
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) > left || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return err
		}
		left -= len(data)
		name, err := filepath.Rel(dir, path)
		out = append(out, Text{filepath.ToSlash(name), string(data)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the sample: %w", err)
	}
	return out, nil
}

// question is what the suite asks a plug-in.
func (s *suite) question() any {
	switch s.p.Kind {
	case Evaluator:
		return EvaluateParams{Goal: "a sample", Stage: "measure", Root: true}
	case Agent:
		return EditParams{Prompt: "Change something.", Goal: "a sample", Operator: "mutate", Seed: 7}
	case Operator:
		return ProposeParams{
			Operator: s.p.Capabilities[0], Seed: 7, Goal: "a sample", Metric: "sum", Direction: "maximize", Parent: Source{Files: s.text}, Others: []Other{},
		}
	case Embedder:
		return EmbedParams{Files: s.text}
	case Notifier:
		return NotifyParams{Experiment: "sample", Event: "best", Text: "atoll checks this plug-in"}
	}
	return Nothing{}
}

// understand checks an answer by the rules of its kind. What it says of a good one follows
// the time that it took.
func (s *suite) understand(r *Reply) (said string, err error) {
	switch s.p.Kind {
	case Evaluator:
		if _, err = output.ParseReport(r.Result); err != nil {
			err = fmt.Errorf("%w: %w", ErrAnswer, err)
		}
	case Agent:
		if _, err = ReadEdit(r.Result); err == nil && len(r.Changes) == 0 {
			err = fmt.Errorf("%w: it changed nothing in its working directory; `sample` in %s names a folder of the plug-in to be checked on", ErrAnswer, ManifestName)
		}
	case Operator:
		var p ProposeResult
		if p, err = ReadProposal(r.Result); err == nil && len(p.Changes) == 0 {
			said, err = s.unchanged()
		}
	case Descriptor:
		_, err = ReadMetrics(r.Result)
	case Embedder:
		_, err = ReadVectors(r.Result, len(s.text))
	case Auditor:
		err = s.inSample(r.Result)
	case Notifier:
		err = decodeAnswer(r.Result, &Nothing{})
	}
	return said, err
}

// inSample judges findings: each is of a file that the sample has.
func (s *suite) inSample(raw json.RawMessage) error {
	found, err := ReadFindings(raw)
	for i := range found {
		info, failed := os.Lstat(filepath.Join(s.base, filepath.FromSlash(found[i].Path)))
		if failed != nil || info.IsDir() {
			return fmt.Errorf("%w: a finding of %s is in %s, which is no file of the sample", ErrAnswer, found[i].Rule, clean.Short(found[i].Path, 80))
		}
	}
	return err
}

// unchanged judges an operator that proposed no change: it may have none for files that it
// is not for, or without others to cross with.
func (s *suite) unchanged() (said string, err error) {
	switch op := s.p.Capabilities[0]; {
	case op == "crossover" || op == "synergy":
		return "; it has nothing to change without other candidates", nil
	case s.p.Sample != "":
		return "", fmt.Errorf("%w: it proposed no change for the files of its own sample", ErrAnswer)
	}
	return fmt.Sprintf("; it has nothing to change in two small files: `sample` in %s names a folder of the plug-in with files that it changes", ManifestName), nil
}

func decodeAnswer(raw json.RawMessage, v any) error {
	if err := decode(raw, v); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return nil
}

// ask puts the question of the kind.
func (s *suite) ask(ctx context.Context, t *Talk, params any) (Reply, time.Duration, error) {
	began := time.Now()
	r, err := s.h.converse(ctx, s.p, t, Call{Params: params, Base: s.base, Harvest: s.p.Kind == Agent})
	return r, time.Since(began), err
}

// answers: the method of the kind, on the sample.
func (s *suite) answers(ctx context.Context) (bool, error) {
	r, took, err := s.ask(ctx, s.p.NewTalk(), s.question())
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	said := ""
	if err == nil {
		s.said = r.Result
		said, err = s.understand(&r)
	}
	return s.point("answers initialize and "+Method(s.p.Kind), err, fmt.Sprintf("in %d ms with its start%s", took.Milliseconds(), said)), nil
}

// twice: kinds on which the order of a search depends give the same answer again.
func (s *suite) twice(ctx context.Context) (bool, error) {
	switch s.p.Kind {
	case Operator, Descriptor, Embedder, Auditor:
	default:
		return true, nil
	}
	r, _, err := s.ask(ctx, s.p.NewTalk(), s.question())
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err == nil && !bytes.Equal(compact(s.said), compact(r.Result)) {
		err = fmt.Errorf("%w: the same question had two answers; a search with it could not be repeated", ErrAnswer)
	}
	return s.point("answers alike twice", err, ""), nil
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// alone: the vector of a file is the same whatever it is asked with.
func (s *suite) alone(ctx context.Context) (bool, error) {
	if s.p.Kind != Embedder {
		return true, nil
	}
	const name = "embeds each file by itself"
	files := s.text
	if len(files) < 2 {
		files = append(slices.Clone(files), sampleFiles()...)
	}
	both, _, err := s.ask(ctx, s.p.NewTalk(), EmbedParams{files})
	if err != nil {
		return s.point(name, err, ""), context.Cause(ctx)
	}
	one, _, err := s.ask(ctx, s.p.NewTalk(), EmbedParams{files[len(files)-1:]})
	if err != nil {
		return s.point(name, err, ""), context.Cause(ctx)
	}
	all, err := ReadVectors(both.Result, len(files))
	if err != nil {
		return s.point(name, err, ""), nil
	}
	single, err := ReadVectors(one.Result, 1)
	if err == nil && fmt.Sprint(single[0]) != fmt.Sprint(all[len(all)-1]) {
		err = fmt.Errorf("%w: a file has another vector when it is asked for with others", ErrAnswer)
	}
	return s.point(name, err, fmt.Sprintf("%d dimensions", len(all[0]))), nil
}

// unknown: a method that nobody knows is answered with an error, and the plug-in
// ends when its input does.
func (s *suite) unknown(ctx context.Context) (bool, error) {
	_, _, err := s.ask(ctx, s.p.talk("atoll/unknown"), Nothing{})
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	switch {
	case err == nil:
		err = fmt.Errorf("%w: it answered a method that there is not", ErrProtocol)
	case strings.Contains(err.Error(), "-32601"):
		err = nil
	}
	return s.point("refuses a method that there is not, and goes on", err, ""), nil
}
