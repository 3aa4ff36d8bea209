package query

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Settings explains every key of the configuration as it holds now.
func (r *Reader) Settings(ctx context.Context) ([]view.SettingInfo, error) {
	var set record.Settings
	var cfg config.Config
	if err := r.asker.Ask(ctx, func(s *fold.State) { set, cfg = s.SettingsInForce(), s.Config }); err != nil {
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
	for _, row := range base {
		defaults[row.Key] = row.Value
	}
	now := liveValues(set)
	out := make([]view.SettingInfo, 0, len(rows))
	for _, row := range rows {
		info := view.SettingInfo{Key: row.Key, Value: row.Value, Default: defaults[row.Key], Origin: "default", Doc: row.Doc, Live: row.Live}
		if row.Value != info.Default {
			info.Origin = "when it started"
		}
		if v, ok := now[row.Key]; ok && v != row.Value {
			info.Value, info.Origin = v, "set while it runs"
		}
		info.Live = fold.IsLive(row.Key)
		if row.Key == "review.measure" || row.Key == "review.niche" {
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
		"evaluator.challenge": number(s.Challenge), "evaluator.depth": number(s.Depth), "evaluator.remeasure": number(s.Remeasure),
		"budget.wall": (time.Duration(s.MaxWallMS) * time.Millisecond).String(), "constraints": jsonText(s.Constraints), "acceptance": jsonText(s.Acceptance),
	}
}

// number writes a setting that the configuration gives where it is nil.
func number[T int | float64](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
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
func (r *Reader) Doctor(ctx context.Context) ([]view.CheckLine, error) {
	var cfg config.Config
	if err := r.asker.Ask(ctx, func(s *fold.State) { cfg = s.Config }); err != nil {
		return nil, err
	}
	return r.doctor(ctx, cfg), nil
}
