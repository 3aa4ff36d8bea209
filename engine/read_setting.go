package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"atoll/config"
	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Decisions returns the newest decisions, newest first.
func (e *Engine) Decisions(ctx context.Context, limit int) ([]record.Decision, error) {
	return e.db.Decisions(ctx, e.exp, limit)
}

// Settings explains every key of the configuration as it holds now.
func (e *Engine) Settings(ctx context.Context) ([]view.SettingInfo, error) {
	var set record.Settings
	var cfg config.Config
	if err := e.ask(ctx, func(s *fold.State) { set, cfg = s.Settings, s.Config }); err != nil {
		return nil, err
	}
	rows, err := config.Loaded{Config: cfg}.Explain("")
	if err != nil {
		return nil, err
	}
	base, err := config.Loaded{Config: config.Defaults()}.Explain("")
	if err != nil {
		return nil, err
	}
	defaults := map[string]string{}
	for _, r := range base {
		defaults[r.Key] = r.Value
	}
	now := liveValues(set)
	out := make([]view.SettingInfo, 0, len(rows))
	for _, r := range rows {
		info := view.SettingInfo{Key: r.Key, Value: r.Value, Default: defaults[r.Key], Origin: "default", Doc: r.Doc, Live: r.Live}
		if r.Value != info.Default {
			info.Origin = "when it started"
		}
		if v, ok := now[r.Key]; ok && v != r.Value {
			info.Value, info.Origin = v, "set while it runs"
		}
		info.Live = fold.IsLive(r.Key)
		if r.Key == "review.measure" || r.Key == "review.niche" {
			info.Enum = []string{"off", "risky", "all"}
		}
		out = append(out, info)
	}
	return out, nil
}

// liveValues are the settings in force under their configuration keys.
func liveValues(s record.Settings) map[string]string {
	return map[string]string{
		"workers": fmt.Sprint(s.Workers), "budget.jobs": fmt.Sprint(s.MaxJobs), "budget.evaluations": fmt.Sprint(s.MaxEvals),
		"budget.tokens": fmt.Sprint(s.MaxTokens), "budget.cost_usd": fmt.Sprint(s.MaxCostUSD), "goal": s.Goal,
		"review.measure": s.Review, "review.niche": s.ReviewNiche, "search.inspirations": fmt.Sprint(s.Inspirations),
		"budget.wall": (time.Duration(s.MaxWallMS) * time.Millisecond).String(), "constraints": jsonText(s.Constraints), "acceptance": jsonText(s.Acceptance),
	}
}

// jsonText writes a list as the configuration prints it, "" for none.
func jsonText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(b)
}

// Doctor checks the machine and the store under a running experiment.
func (e *Engine) Doctor(ctx context.Context) ([]view.CheckLine, error) {
	var cfg config.Config
	if err := e.ask(ctx, func(s *fold.State) { cfg = s.Config }); err != nil {
		return nil, err
	}
	return Doctor(ctx, doctor.Options{
		Target: e.ses.Target, State: e.ses.Dir, Config: config.Loaded{Config: cfg, Dir: e.ses.Dir}, Now: e.opt.Now,
	}), nil
}
