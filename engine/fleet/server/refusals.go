package server

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// refusals hears from the NATS server what it kept a machine from: it is its logger.
// The server calls it while it holds locks of its own.
type refusals struct {
	s    *Server
	tell func(machine, why string)
}

// connections name the connection that a line of the server's log is about, before
// anything that the other side chose.
var connections = regexp.MustCompile(`cid:(\d+)`)

// Errorf implements the server's logger.
func (r refusals) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	found := connections.FindStringSubmatch(text)
	if found == nil {
		return
	}
	id, err := strconv.ParseUint(found[1], 10, 64)
	if err != nil {
		return
	}
	why := ""
	switch {
	case strings.Contains(text, "maximum payload exceeded"):
		why = "a message larger than any may be"
	case strings.Contains(text, "Publish Violation"):
		why = "a message under a subject that is not its own"
	case strings.Contains(text, "Subscription Violation"):
		why = "to hear what is not told to it"
	default:
		return
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for name, list := range r.s.clients {
		if slices.ContainsFunc(list, func(c client) bool { return c.id == id }) {
			r.tell(name, why)
		}
	}
}

// Noticef implements the server's logger.
func (refusals) Noticef(string, ...any) {}

// Warnf implements the server's logger.
func (refusals) Warnf(string, ...any) {}

// Fatalf implements the server's logger.
func (refusals) Fatalf(string, ...any) {}

// Debugf implements the server's logger.
func (refusals) Debugf(string, ...any) {}

// Tracef implements the server's logger.
func (refusals) Tracef(string, ...any) {}
