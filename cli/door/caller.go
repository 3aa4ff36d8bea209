package door

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/store/record"
)

// Role is what a caller may do. Each includes those before it.
type Role int

// The roles. Look reads; Decide steers the search in ways that can be taken back
// or cost no more than the budgets allow; Admin changes settings and budgets, ends
// the engine, and writes to and reads from the user's repository.
const (
	Nobody Role = iota
	Look
	Decide
	Admin
)

var roleNames = [...]string{Nobody: "nobody", Look: "look", Decide: "decide", Admin: "admin"}

// String is the role as it is written.
func (r Role) String() string { return roleNames[r] }

// ParseRole reads look, decide or admin.
func ParseRole(text string) (Role, error) {
	i := slices.Index(roleNames[Look:], text)
	if i < 0 {
		return Nobody, fmt.Errorf("%q is no role: write %s", text, strings.Join(roleNames[Look:], ", "))
	}
	return Look + Role(i), nil
}

// adminVerbs are those of [Admin] alone.
var adminVerbs = []record.Verb{record.Set, record.Stop, record.Inject, record.Promote}

// May reports whether the role has a verb.
func (r Role) May(v record.Verb) bool {
	if slices.Contains(adminVerbs, v) {
		return r >= Admin
	}
	return r >= Decide
}

// Caller is who asks.
type Caller struct {
	Name string // signs decisions
	Role Role
}

// LookAgain is how often a list of those who may come in is looked at, and how often
// what stays open asks whether it still may: both together are less than a second.
const LookAgain = 400 * time.Millisecond

// Lost reports whether somebody who came in as c has fewer rights now, or is
// somebody else.
func (c Caller) Lost(now Caller) bool { return now.Role < c.Role || now.Name != c.Name }

// Holds waits until ctx ends, or until somebody who came in has lost rights by what
// now tells: it returns false then.
func Holds(ctx context.Context, came Caller, now func() Caller) bool {
	again := time.NewTicker(LookAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return true
		case <-again.C:
			if came.Lost(now()) {
				return false
			}
		}
	}
}
