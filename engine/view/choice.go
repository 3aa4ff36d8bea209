package view

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"atoll/store/record"
)

var (
	certain   = regexp.MustCompile(`^(?:agent )?(\S+) with chance 1(?:\.0+)?$`)
	loneElite = regexp.MustCompile(`^(.+) is 1 of 1 elites, .*$`)
	loneOfAll = regexp.MustCompile(`^(.+) is 1 of the best 1 before there is a map$`)
	withOdds  = regexp.MustCompile(`with chance ([0-9.e-]+)`)
)

// ChanceWords says one reason of why a job is what it is with its chance in per cent;
// where there was no choice it says so.
func ChanceWords(reason string) string {
	if m := certain.FindStringSubmatch(reason); m != nil {
		return m[1] + ", there was no other"
	}
	if m := loneElite.FindStringSubmatch(reason); m != nil {
		return m[1] + " is the only elite"
	}
	if m := loneOfAll.FindStringSubmatch(reason); m != nil {
		return m[1] + " is the only one yet, before there is a map"
	}
	return withOdds.ReplaceAllStringFunc(reason, func(t string) string {
		v, err := strconv.ParseFloat(strings.TrimPrefix(t, "with chance "), 64)
		if err != nil {
			return t
		}
		return "with a chance of " + perCent(100*v) + " %"
	})
}

func perCent(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// ChoiceWords say why a job is what it is, a reason each, and of what each chance is:
// the parent among those it could be, the operator among those that fit, the agent
// among those that can carry it out.
func ChoiceWords(j record.Job) []string {
	if j.Why == "" {
		return nil
	}
	out := strings.Split(j.Why, "; ")
	for i, reason := range out {
		words := ChanceWords(reason)
		switch {
		case strings.HasPrefix(words, j.Parent.String()+" is "):
			words = "parent " + words
		case strings.HasPrefix(reason, string(j.Operator)+" ") && j.Operator != "":
			words = "operator " + words
		case strings.HasPrefix(reason, "agent ") && !strings.HasPrefix(words, "agent "):
			words = "agent " + words
		}
		out[i] = words
	}
	return out
}
