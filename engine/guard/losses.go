package guard

import "slices"

// losses are what a root answered of groups until now, by group: how many cases ended its process, and whether one did not.
type losses map[string]loss

type loss struct {
	fatal    int
	answered bool
}

// learn adds a reply of the root.
func (l losses) learn(r *reply) {
	for at := range r.fatal {
		of := l[at.group]
		of.fatal++
		l[at.group] = of
	}
	for at := range r.cases {
		of := l[at.group]
		of.answered = true
		l[at.group] = of
	}
}

// among lists those of some groups that only ended the process, and did so too often to be asked again: each
// time costs as long as the root may take for a case.
func (l losses) among(groups []string) []string {
	return slices.DeleteFunc(slices.Clone(groups), func(group string) bool {
		of := l[group]
		return of.answered || of.fatal < mostGroupDeaths
	})
}
