package tui

import (
	"context"
	"reflect"

	"atoll/engine"
	"atoll/store/record"
)

func (p *poisoned) Job(ctx context.Context, id record.JobID) (engine.JobDetail, error) {
	v, err := p.Reader.Job(ctx, id)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Candidate(ctx context.Context, id record.CandidateID) (engine.CandidateDetail, error) {
	v, err := p.Reader.Candidate(ctx, id)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Candidates(ctx context.Context, q engine.CandidateQuery) ([]record.Candidate, error) {
	v, err := p.Reader.Candidates(ctx, q)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Diff(ctx context.Context, a, b record.CandidateID, lines int) ([]engine.FilePatch, error) {
	v, err := p.Reader.Diff(ctx, a, b, lines)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Lineage(ctx context.Context, id record.CandidateID) (engine.Lineage, error) {
	v, err := p.Reader.Lineage(ctx, id)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Niche(ctx context.Context, cell int) (engine.NicheDetail, error) {
	v, err := p.Reader.Niche(ctx, cell)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Settings(ctx context.Context) ([]engine.SettingInfo, error) {
	v, err := p.Reader.Settings(ctx)
	poison(reflect.ValueOf(&v))
	return v, err
}

func (p *poisoned) Doctor(ctx context.Context) ([]engine.CheckLine, error) {
	v, err := p.Reader.Doctor(ctx)
	poison(reflect.ValueOf(&v))
	return v, err
}
