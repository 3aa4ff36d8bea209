package config

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// loreleyAlias is a variable of Loreley whose meaning is that of one key.
type loreleyAlias struct {
	name    string
	key     string
	convert func(value string, all map[string]string) (string, error)
}

// loreleyAliases lists the variables that are read as they are, in the order
// in which they are applied. Only names with Loreley's own prefixes are here:
// a general one such as OPENAI_BASE_URL is read by the import alone.
func loreleyAliases() []loreleyAlias {
	return []loreleyAlias{
		{"MAPELITES_EXPERIMENT_ROOT_COMMIT", "root", same},
		{"WORKER_EVOLUTION_GLOBAL_GOAL", "goal", same},
		{"SCHEDULER_MAX_UNFINISHED_JOBS", "workers", same},
		{"SCHEDULER_MAX_TOTAL_JOBS", "budget.jobs", same},
		{"WORKER_EVALUATOR_TIMEOUT_SECONDS", "evaluator.timeout", seconds},
		{"MAPELITES_FITNESS_METRIC", "evaluator.objective", same},
		{"MAPELITES_FITNESS_HIGHER_IS_BETTER", "evaluator.direction", direction},
		{"MAPELITES_ARCHIVE_CELLS_PER_DIM", "map.grid", cells},
		{"MAPELITES_ARCHIVE_QD_SCORE_OFFSET", "map.qd_offset", same},
		{"MAPELITES_DIMENSION_REDUCTION_MIN_FIT_SAMPLES", "map.min_fit", same},
		{"MAPELITES_DIMENSION_REDUCTION_HISTORY_SIZE", "map.history", same},
		{"MAPELITES_DIMENSION_REDUCTION_REFIT_INTERVAL", "map.refit_every", same},
		{"MAPELITES_PREPROCESS_MAX_FILE_SIZE_KB", "map.max_file_bytes", kibibytes},
		{"MAPELITES_PREPROCESS_EXCLUDED_GLOBS", "map.exclude", same},
		{"MAPELITES_PREPROCESS_ALLOWED_EXTENSIONS", "map.include", extensions},
		{"MAPELITES_SAMPLER_INSPIRATION_COUNT", "search.inspirations", same},
		{"MAPELITES_DIMENSION_REDUCTION_SEED", "seed", notNegative},
		{"MAPELITES_SAMPLER_SEED", "seed", notNegative},
	}
}

func same(value string, _ map[string]string) (string, error) { return value, nil }

func notNegative(value string, _ map[string]string) (string, error) {
	if strings.HasPrefix(value, "-") { // Loreley reads a negative seed as 0
		return "0", nil
	}
	return value, nil
}

func seconds(value string, _ map[string]string) (string, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= 0 && x < 1e9) {
		return "", fmt.Errorf("%q is no number of seconds", value)
	}
	return time.Duration(x * float64(time.Second)).String(), nil
}

func kibibytes(value string, _ map[string]string) (string, error) { return value + "KiB", nil }

func direction(value string, _ map[string]string) (string, error) {
	switch strings.ToLower(value) {
	case "true", "1", "yes", "on", "t", "y":
		return "maximize", nil
	case "false", "0", "no", "off", "f", "n":
		return "minimize", nil
	}
	return "", fmt.Errorf("%q is neither true nor false", value)
}

// cells turns one number of cells into a grid of that many cells on each of
// the axes that Loreley reduces to, two unless they are given.
func cells(value string, all map[string]string) (string, error) {
	dims := 2
	if text := all["MAPELITES_DIMENSION_REDUCTION_TARGET_DIMS"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 6 {
			return "", fmt.Errorf("MAPELITES_DIMENSION_REDUCTION_TARGET_DIMS is %q, not 1 to 6", text)
		}
		dims = n
	}
	return "[" + strings.TrimSuffix(strings.Repeat(value+",", dims), ",") + "]", nil
}

// extensions turns a list such as [".py", ".go"] into globs.
func extensions(value string, _ map[string]string) (string, error) {
	var list []string
	if err := json.Unmarshal([]byte(value), &list); err != nil {
		return "", fmt.Errorf("%q is no JSON list of extensions", value)
	}
	for i, ext := range list {
		list[i] = "**/*." + strings.TrimPrefix(ext, ".")
	}
	return string(flow(list)), nil
}
