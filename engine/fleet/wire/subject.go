package wire

import "strings"

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

// Consumer is the one from which the workers of a pool pull.
func (s Subjects) Consumer(pool string) string { return "pool-" + pool }

// Inbox begins the subjects on which a worker gets answers.
func (s Subjects) Inbox(worker string) string { return "_INBOX_" + worker }

// Permissions are the subjects that a worker may publish to and subscribe to: it
// speaks under its own name, pulls from its pool and says what it took. Nothing
// else.
func (s Subjects) Permissions(worker, pool string) (publish, subscribe []string) {
	consumer := s.Stream() + "." + s.Consumer(pool)
	publish = []string{
		s.Up(worker),
		"$JS.API.CONSUMER.MSG.NEXT." + consumer,
		"$JS.API.CONSUMER.INFO." + consumer,
		"$JS.ACK." + consumer + ".>",
	}
	return publish, []string{s.Down(worker), s.Inbox(worker) + ".>"}
}
