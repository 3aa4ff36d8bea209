package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Error is how a client's run failed; errors.As finds it in an [Error].
type Error struct {
	Client  string // preset
	Fault   Fault
	Exit    int
	Message string // the client's or service's own words, one line
	Err     error  // cause; may be nil
}

// Error names the fault, the client's words and what to do.
func (e *Error) Error() string {
	s := e.Client + ": " + string(e.Fault)
	if e.Message != "" {
		s += ": " + e.Message
	}
	var denied *gateway.ProviderError // says what to do itself
	if cure := e.Fault.Cure(); cure != "" && !errors.As(e.Err, &denied) {
		s += "; " + cure
	}
	return s
}

// Is makes a key, an account or a model that was refused a gateway.ErrAccess, a
// service that failed a gateway.ErrProvider, also where the client used its own
// login, and a client that is not there an agent.ErrMissing.
func (e *Error) Is(target error) bool {
	switch target {
	case gateway.ErrAccess:
		return e.Fault == FaultAuth || e.Fault == FaultQuota || e.Fault == FaultModel
	case gateway.ErrProvider:
		return e.Fault == FaultRate || e.Fault == FaultServer || e.Fault == FaultNetwork
	case agent.ErrMissing:
		return e.Fault == FaultMissing
	}
	return false
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Bounds of evidence.
const (
	maxPartial  = 256 << 10
	maxTail     = 32 << 10
	maxPromptEv = 128 << 10
)

// judge decides what came of a run, by the client's end marker, its error
// fields and the tree; the exit code alone decides nothing. In order: ended
// from outside, stopped by a limit, said so itself, ended without its marker,
// changed nothing.
func (x *trial) judge(ctx context.Context, res sandbox.Result, runErr error, metered Metered, prompt string) (agent.Result, error) {
	rep := x.report(res)
	usage := x.usage(rep, metered.Usage)
	changes, strays := x.withoutStrays(res.Changes)
	res.Refused = append(slices.Clone(res.Refused), strays...)
	evidence := x.evidence(res, rep, metered, prompt)
	if ctx.Err() != nil {
		return agent.Result{}, &agent.Error{
			Class: record.ClassAgent, Reason: x.c.o.Name + " was stopped", Usage: usage,
			Evidence: append(evidence, x.partial(changes)...), Err: context.Cause(ctx),
		}
	}
	fault, message := x.fault(res, rep, runErr)
	cause := runErr
	switch {
	case metered.Denied != nil:
		// Clients tell a refusal of the provider in words of their own, or end as if they
		// were done: what they have is what they did without a model.
		fault, message, cause = deniedFault(metered.Denied), metered.Denied.Error(), metered.Denied
	case metered.Excess > 0 && (fault != FaultNone || runErr == nil && len(changes) == 0):
		fault, message = FaultRequests, x.tooMany()
	case metered.Refused > 0 && (fault != FaultNone || runErr == nil):
		// Clients tell a refusal of the gateway in words of their own, or end as if they
		// were done: what they have is what the money was enough for.
		if message = strings.TrimSuffix(message, "."); message != "" {
			message = ": " + message
		}
		fault, message = FaultBudget, fmt.Sprintf("the budget refused %d requests%s", metered.Refused, message)
	case fault == FaultStart && (res.Exit == 126 || res.Exit == 127) && len(changes) == 0 && metered.Usage.Requests == 0:
		// A shell says so of a program that it cannot find, and did nothing else.
		fault = FaultMissing
		x.c.forget()
	}
	switch {
	case runErr != nil && fault == FaultNone:
		return agent.Result{}, &agent.Error{Class: record.ClassInternal, Reason: "run " + x.c.o.Name, Usage: usage, Evidence: evidence, Err: runErr}
	case fault != FaultNone:
		ce := &Error{Client: x.c.preset.Name, Fault: fault, Exit: res.Exit, Message: x.redact(message), Err: cause}
		class := fault.Class()
		if fault == FaultLimit {
			class = limitClass(res.Limits)
		}
		return agent.Result{}, &agent.Error{
			Class: class, Reason: x.c.o.Name + " failed", Usage: usage,
			Evidence: append(evidence, x.partial(changes)...), Err: ce,
		}
	case len(changes) == 0:
		return agent.Result{}, &agent.Error{Class: record.ClassNoChange, Reason: x.nothing(rep, res), Usage: usage, Evidence: evidence, Err: agent.ErrNoChange}
	}
	return agent.Result{Changes: changes, Usage: usage, Intent: x.intent(rep, changes), Evidence: evidence}, nil
}

// withoutStrays leaves out new files outside of the job's scope: notes, build
// results and the like, which are no reason to lose the rest. A change of a file
// that the tree has stays in, for the gate to judge. The second result says what
// was left out.
func (x *trial) withoutStrays(changes []record.Change) (kept []record.Change, strays []string) {
	have := map[string]bool{}
	for _, f := range x.t.Files() {
		have[f.Path] = true
	}
	for _, c := range changes {
		if have[c.Path] || x.j.Allowed(c.Path) {
			kept = append(kept, c)
			continue
		}
		strays = append(strays, fmt.Sprintf("dropped %s: a new file outside of the scope", clean.Line(c.Path)))
	}
	if len(strays) > 0 && x.j.Live != nil {
		x.j.Live(fmt.Sprintf("%s left %d new files outside of the scope; they are dropped (%s)", x.c.o.Name, len(strays), strays[0]))
	}
	return kept, strays
}

// report reads the kept output. When part of it was left out, counts come from
// what was seen while it ran, if that is more.
func (x *trial) report(res sandbox.Result) Report {
	rep := ReadStream(x.c.preset.Format, res.Stdout)
	if res.StdoutCut == 0 {
		return rep
	}
	live, _ := x.watch.seen()
	if live.Usage.InputTokens+live.Usage.OutputTokens > rep.Usage.InputTokens+rep.Usage.OutputTokens {
		rep.Usage, rep.HasUsage = live.Usage, live.HasUsage
	}
	return rep
}

// usage is what the gateway metered; without one, what the client says of
// itself, marked as not metered when it had a network.
func (x *trial) usage(rep Report, metered record.Usage) record.Usage {
	if !x.in.own {
		return metered
	}
	u := rep.Usage
	u.Unmetered = true
	return u
}

// fault names what went wrong, or FaultNone.
func (x *trial) fault(res sandbox.Result, rep Report, runErr error) (Fault, string) {
	o := &x.c.o
	complaint := clean.LastLine(res.Stderr)
	switch {
	case errors.Is(runErr, errClientIdle):
		return FaultHang, fmt.Sprintf("it said nothing for %s", o.Idle)
	case errors.Is(runErr, errClientLoop):
		live, _ := x.watch.seen()
		return FaultLoop, live.Message
	case errors.Is(runErr, errClientKey):
		return FaultAuth, "the client went on asking"
	case errors.Is(runErr, errClientPaid):
		return FaultBudget, "the client went on asking"
	case errors.Is(runErr, errClientBusy):
		return FaultRequests, x.tooMany()
	case runErr != nil:
		return FaultNone, ""
	case res.TimedOut || slices.Contains(res.Limits, "wall"):
		return FaultHang, fmt.Sprintf("it did not end within %s", o.Timeout)
	case len(res.Limits) > 0:
		return FaultLimit, "it went beyond its limit of " + strings.Join(res.Limits, " and ")
	case rep.Fault != FaultNone:
		return rep.Fault, rep.Message
	}
	if x.c.preset.Format == streamText {
		if res.Exit == 0 {
			return FaultNone, ""
		}
		return exitFault(res.Exit), exitText(res, complaint)
	}
	switch {
	case !rep.Ended && rep.Events == 0 && res.Exit != 0:
		return startFault(res.Exit, complaint), exitText(res, complaint)
	case !rep.Ended:
		return FaultCrash, "it ended before it was done: " + exitText(res, complaint)
	case res.Exit != 0 && x.c.preset.Format != streamPi:
		return FaultCrash, exitText(res, complaint)
	}
	return FaultNone, ""
}

func (x *trial) tooMany() string {
	return fmt.Sprintf("it wanted to make more than %d requests in this job", x.c.o.Requests)
}

// deniedFault is the fault behind a provider's refusal that lasts.
func deniedFault(err error) Fault {
	var p *gateway.ProviderError
	if errors.As(err, &p) {
		switch p.Access {
		case gateway.AccountEmpty:
			return FaultQuota
		case gateway.ModelUnknown:
			return FaultModel
		case gateway.AddressWrong, gateway.Barred:
			return FaultRequest
		}
	}
	return FaultAuth
}

func exitFault(exit int) Fault {
	if exit == 126 || exit == 127 {
		return FaultStart
	}
	return FaultCrash
}

// startFault reads stderr of a client that said nothing on stdout.
func startFault(exit int, complaint string) Fault {
	if f := faultOf(0, complaint); f == FaultAuth {
		return f
	}
	if exit > 128 {
		return FaultCrash
	}
	return FaultStart
}

func exitText(res sandbox.Result, complaint string) string {
	s := fmt.Sprintf("exit code %d", res.Exit)
	if res.Signal != "" {
		s = "ended by signal: " + res.Signal
	}
	if complaint != "" {
		s += ": " + complaint
	}
	return s
}

// limitClass is the class of the first limit that was hit.
func limitClass(limits []string) record.Class {
	switch {
	case slices.Contains(limits, "memory"):
		return record.ClassMemory
	case slices.Contains(limits, "output"), slices.Contains(limits, "disk"):
		return record.ClassOutput
	case slices.Contains(limits, "cpu"):
		return record.ClassTimeout
	}
	return record.ClassAgent
}

// nothing says why no file changed.
func (x *trial) nothing(rep Report, res sandbox.Result) string {
	s := x.c.o.Name + " ended without changing a file"
	if rep.Refused > 0 {
		s += fmt.Sprintf(" (%d of its tool calls failed or were refused)", rep.Refused)
	}
	if len(res.Refused) > 0 {
		s += fmt.Sprintf(" (not taken over: %s)", res.Refused[0])
	}
	return s
}

// intent is the client's last word in one line, or the names of the files.
func (x *trial) intent(rep Report, changes []record.Change) string {
	for line := range strings.Lines(rep.Final) {
		line = strings.Trim(line, " \t\r\n#*->`")
		if line != "" {
			return x.redact(clean.Short(string(clean.Text([]byte(line))), 200))
		}
	}
	var names []string
	for _, c := range changes {
		if len(names) == 3 {
			names = append(names, fmt.Sprintf("and %d more", len(changes)-3))
			break
		}
		names = append(names, path.Base(c.Path))
	}
	return clean.Short("edit "+strings.Join(names, ", "), 200)
}

// evidence keeps the prompt, the end of what the client said and its last word.
func (x *trial) evidence(res sandbox.Result, rep Report, metered Metered, prompt string) []record.Evidence {
	var list []record.Evidence
	add := func(kind string, text []byte, most int, tail bool) {
		if len(bytes.TrimSpace(text)) == 0 {
			return
		}
		text = []byte(x.redact(string(clean.Text(text))))
		cut := int64(0)
		if over := len(text) - most; over > 0 {
			cut = int64(over)
			if tail {
				text = text[over:]
			} else {
				text = text[:most]
			}
		}
		list = append(list, record.Evidence{Job: x.j.Number, Attempt: x.j.Attempt, Kind: kind, Text: slices.Clone(text), Cut: cut})
	}
	add("prompt", []byte(prompt), maxPromptEv, false)
	add("answer", []byte(rep.Final), maxTail, false)
	add("events", res.Stdout, maxTail, true)
	add("stderr", res.Stderr, maxTail, true)
	add("gateway", []byte(strings.Join(metered.Notes, "\n")), maxTail, false)
	add("refused", []byte(strings.Join(append(slices.Clone(res.Refused), res.Violations...), "\n")), maxTail, false)
	return list
}

// partial keeps the changes of a run that failed.
func (x *trial) partial(changes []record.Change) []record.Evidence {
	if len(changes) == 0 {
		return nil
	}
	var b bytes.Buffer
	cut := int64(0)
	for _, c := range changes {
		head := fmt.Sprintf("=== %s (%s, %d bytes)\n", c.Path, modeWord(c.Mode), len(c.Data))
		if b.Len()+len(head)+len(c.Data) > maxPartial {
			cut += int64(len(c.Data))
			continue
		}
		b.WriteString(head)
		b.Write(c.Data)
		if n := len(c.Data); n > 0 && c.Data[n-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	text := x.redact(string(clean.Text(b.Bytes())))
	return []record.Evidence{{Job: x.j.Number, Attempt: x.j.Attempt, Kind: "partial", Text: []byte(text), Cut: cut}}
}

func modeWord(m record.Mode) string {
	switch m {
	case record.Deleted:
		return "removed"
	case record.Symlink:
		return "symlink"
	case record.Executable:
		return "executable"
	}
	return "file"
}

// redact replaces the secrets of the run.
func (x *trial) redact(s string) string { return agent.Redact(s, x.secret...) }
