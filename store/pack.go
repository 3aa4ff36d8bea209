package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"atoll/store/record"
)

// packed is an outcome as the tables take it. It is made before the writer's
// turn, so that encoding and compression do not hold others up.
type packed struct {
	metrics  []byte // nil: leave those that are there
	measures []byte
	samples  []packedSample
	evidence []packedEvidence
	vector   []byte
}

type packedSample struct {
	record.Sample
	metrics []byte
}

type packedEvidence struct {
	job     record.JobID
	attempt int
	kind    string
	cut     int64
	size    int
	packed  bool
	text    []byte
}

// pack checks an outcome and encodes it.
func pack(o *Outcome) (*packed, error) {
	if !finite(o.OwnMS) {
		return nil, fmt.Errorf("own time: %w", ErrNotFinite)
	}
	if o.Evals < 0 || o.EditMS < 0 || o.EvalMS < 0 {
		return nil, fmt.Errorf("a count below zero: %w", ErrInvalid)
	}
	if err := checkUsage(o.Usage); err != nil {
		return nil, err
	}
	p := &packed{}
	if err := p.candidate(o.Candidate); err != nil {
		return nil, err
	}
	for _, s := range o.Samples {
		if !finite(s.Objective) || !finitePtr(s.Load) {
			return nil, fmt.Errorf("objective of sample %d: %w", s.Repeat, ErrNotFinite)
		}
		m, err := packMetrics(s.Metrics)
		if err != nil {
			return nil, err
		}
		p.samples = append(p.samples, packedSample{s, m})
	}
	var err error
	if p.evidence, err = packEvidence(o.Evidence); err != nil {
		return nil, err
	}
	p.vector, err = packVector(o.Vector)
	return p, err
}

func (p *packed) candidate(c *record.Candidate) (err error) {
	if c == nil {
		return nil
	}
	if !finitePtr(c.Objective) || !finitePtr(c.Claimed) || !finite(c.MAD) || !finite(c.Dev) || !finite(c.ClaimedDev) {
		return fmt.Errorf("value of candidate %s: %w", c.ID, ErrNotFinite)
	}
	if p.metrics, err = packMetrics(c.Metrics); err != nil {
		return err
	}
	p.measures, err = packFloats(c.Measures)
	return err
}

func packMetrics(m []record.Metric) ([]byte, error) {
	if m == nil {
		return nil, nil
	}
	for i := range m {
		if !finite(m[i].Value) {
			return nil, fmt.Errorf("metric %s: %w", m[i].Name, ErrNotFinite)
		}
	}
	return encode("metrics", m)
}

func unpackMetrics(b []byte) ([]record.Metric, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var m []record.Metric
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("metrics: %w (%v)", ErrDamaged, err)
	}
	return m, nil
}

func packFloats(x []float64) ([]byte, error) {
	if x == nil {
		return nil, nil
	}
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		if !finite(v) {
			return nil, fmt.Errorf("measure: %w", ErrNotFinite)
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b, nil
}

func unpackFloats(b []byte) []float64 {
	if b == nil {
		return nil
	}
	x := make([]float64, len(b)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return x
}

func packVector(x []float32) ([]byte, error) {
	if x == nil {
		return nil, nil
	}
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		if !finite(float64(v)) {
			return nil, fmt.Errorf("vector: %w", ErrNotFinite)
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b, nil
}

func unpackVector(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// packParents writes "12 parent,7 inspiration".
func packParents(refs []record.ParentRef) string {
	var b []byte
	for i, r := range refs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r.ID), 10)
		b = append(append(b, ' '), r.Role...)
	}
	return string(b)
}

func unpackParents(s string) []record.ParentRef {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ",")
	refs := make([]record.ParentRef, 0, len(parts))
	for _, p := range parts {
		number, role, _ := strings.Cut(p, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			continue
		}
		refs = append(refs, record.ParentRef{ID: record.CandidateID(n), Role: record.Role(role)})
	}
	return refs
}

// smallText is the size up to which compression is not worth a try.
const smallText = 512

func packEvidence(list []record.Evidence) ([]packedEvidence, error) {
	out := make([]packedEvidence, 0, len(list))
	var z *flate.Writer
	for _, e := range list {
		p := packedEvidence{job: e.Job, attempt: e.Attempt, kind: e.Kind, cut: e.Cut, size: len(e.Text), text: notNil(e.Text)}
		if len(e.Text) > smallText {
			var b bytes.Buffer
			if z == nil {
				w, err := flate.NewWriter(&b, flate.BestSpeed)
				if err != nil {
					return nil, err
				}
				z = w
			} else {
				z.Reset(&b)
			}
			if _, err := z.Write(e.Text); err != nil {
				return nil, fmt.Errorf("compress %s: %w", e.Kind, err)
			}
			if err := z.Close(); err != nil {
				return nil, fmt.Errorf("compress %s: %w", e.Kind, err)
			}
			if b.Len() < len(e.Text) {
				p.packed, p.text = true, b.Bytes()
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// unpackText gives back the size bytes of a compressed text.
func unpackText(b []byte, size int) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(b))
	text := make([]byte, 0, min(size, 1<<26))
	buf := bytes.NewBuffer(text)
	n, err := io.Copy(buf, io.LimitReader(r, int64(size)+1))
	if err != nil || n != int64(size) {
		return nil, fmt.Errorf("evidence of %d bytes unpacks to %d: %w (%v)", size, n, ErrDamaged, err)
	}
	return buf.Bytes(), r.Close()
}
