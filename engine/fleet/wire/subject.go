package wire

import (
	"regexp"
	"strings"
)

// Subjects are the names under which the fleet of one coordinator speaks. The
// zero value is that of the only fleet of a server.
type Subjects struct {
	Fleet string // tells fleets on one server apart; "" = atoll
}

func (s Subjects) fleet() string {
	if s.Fleet == "" {
		return "atoll"
	}
	return s.Fleet
}

// Jobs is where the tasks of a pool are published.
func (s Subjects) Jobs(pool string) string { return s.fleet() + ".job." + pool }

// AllJobs matches the tasks of all pools.
func (s Subjects) AllJobs() string { return s.fleet() + ".job.*" }

// Up is where a worker speaks to the coordinator.
func (s Subjects) Up(worker string) string { return s.fleet() + ".up." + worker }

// AllUp matches what all workers say.
func (s Subjects) AllUp() string { return s.fleet() + ".up.*" }

// Speaker is the worker that speaks under a subject of [Subjects.AllUp].
func (s Subjects) Speaker(subject string) string {
	return strings.TrimPrefix(subject, s.fleet()+".up.")
}

// Down is where a worker is told what to do.
func (s Subjects) Down(worker string) string { return s.fleet() + ".down." + worker }

// Lead is where a coordinator answers that there is one.
func (s Subjects) Lead() string { return s.fleet() + ".lead" }

// Stream is the queue.
func (s Subjects) Stream() string { return strings.ToUpper(s.fleet()) + "_JOBS" }

// Consumer is the one whose length says how much of a pool waits or is in work.
func (s Subjects) Consumer(pool string) string { return "pool-" + pool }

// Inbox begins the subjects on which a worker gets answers.
func (s Subjects) Inbox(worker string) string { return "_INBOX_" + worker }

// answers are the subjects that a client library draws below an inbox.
var answers = regexp.MustCompile(`^\.[A-Za-z0-9]{1,64}(\.[A-Za-z0-9]{1,64})?$`)

// IsAnswer reports whether a worker may be answered under a subject. The coordinator may
// publish more than a worker may: one that names the subject of an answer must not speak
// to the server, or to other workers, through it.
func (s Subjects) IsAnswer(worker, subject string) bool {
	rest, own := strings.CutPrefix(subject, s.Inbox(worker))
	return own && answers.MatchString(rest)
}

// Permissions are the subjects that a worker may publish to and subscribe to: it
// speaks to the coordinator under its own name, and hears what it is told. It has no
// right on the queue.
func (s Subjects) Permissions(worker string) (publish, subscribe []string) {
	return []string{s.Up(worker)}, []string{s.Down(worker), s.Inbox(worker) + ".>"}
}
