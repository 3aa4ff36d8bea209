package fold

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/store/record"
)

// settingText says in plain words what a setting becomes: "workers = 4", or of
// weights those that change, "weights of operators: tune 2". Was and now are the
// JSON of its field before and after.
func settingText(key, field string, was, now json.RawMessage) string {
	before, after := fieldOnly(field, was), fieldOnly(field, now)
	switch field {
	case "operators":
		return "weights of operators: " + weightsText(before.Operators, after.Operators)
	case "agents":
		return "weights of agents: " + weightsText(before.Agents, after.Agents)
	case "targets":
		var names []string
		for _, t := range after.Targets {
			names = append(names, t.Name)
		}
		return "proposed targets: " + orNone(names, ", ")
	case "constraints":
		return key + ": " + orNone(after.Constraints, "; ")
	case "acceptance":
		return key + ": " + orNone(after.Acceptance, "; ")
	case "max_wall_ms":
		return key + " = " + (time.Duration(after.MaxWallMS) * time.Millisecond).String()
	}
	text := string(now)
	if text == "null" {
		return key + " as configured"
	}
	if s, err := strconv.Unquote(text); err == nil {
		text = s
	}
	return key + " = " + text
}

// fieldOnly reads settings of which one field is given; what does not fit was
// refused before.
func fieldOnly(field string, value json.RawMessage) (s record.Settings) {
	_ = json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", field, value), &s)
	return s
}

// weightsText lists the weights that change; one that goes is 0.
func weightsText(was, now map[string]float64) string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(now))
	slices.Sort(names)
	var changed []string
	for _, n := range slices.Compact(names) {
		if was[n] != now[n] {
			changed = append(changed, n+" "+strconv.FormatFloat(now[n], 'g', -1, 64))
		}
	}
	if changed == nil {
		return "as they are"
	}
	return strings.Join(changed, ", ")
}

func orNone(list []string, sep string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, sep)
}
