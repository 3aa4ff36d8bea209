package agent

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/agent/edit"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// verdict says what follows a failed try of a chat agent.
type verdict int

const (
	giveUp   verdict = iota // nothing will change it
	tryAgain                // a new conversation may end otherwise
	feedBack                // the model can correct itself when told
)

// judge says what may follow an error, and what the model is told.
func judge(err error) (verdict, string) {
	var edit *edit.Error
	switch {
	case errors.As(err, &edit):
		return feedBack, edit.Feedback()
	case errors.Is(err, ErrNoChange):
		return feedBack, "The edits leave every file as it is. Make a real change."
	case errors.Is(err, gateway.ErrEndless):
		return giveUp, ""
	case errors.Is(err, gateway.ErrCut):
		return tryAgain, "The answer was cut before its end. Make a smaller change, or write less around it."
	case errors.Is(err, gateway.ErrEmpty):
		return tryAgain, "The answer was empty."
	case errors.Is(err, gateway.ErrRefused):
		return tryAgain, ""
	}
	return giveUp, ""
}

// classify turns what ended a chat agent into an error with a class. The
// context's own end stays as it is.
func classify(ctx context.Context, err error, tries int, made record.Usage, evidence []record.Evidence) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("ask the model: %w", errors.Join(ctx.Err(), context.Cause(ctx)))
	}
	e := &Error{Class: record.ClassAgent, Evidence: evidence, Usage: made, Err: err}
	switch {
	case ctx.Err() != nil:
		e.Reason = "the job ended while the model was asked"
	case errors.Is(err, gateway.ErrBudget), errors.Is(err, gateway.ErrUnknownPrice), errors.Is(err, gateway.ErrUnbounded):
		e.Class, e.Reason = record.ClassBudget, "no money for the model's request"
	case errors.Is(err, ErrNoChange):
		e.Class, e.Reason = record.ClassNoChange, fmt.Sprintf("the model offered no change in %s", countOf(tries, "answer"))
	case errors.Is(err, gateway.ErrRefused):
		e.Reason = "the model refused"
	case errors.Is(err, gateway.ErrEndless):
		e.Class, e.Reason = record.ClassTimeout, "the model did not end its answer"
	case errors.Is(err, gateway.ErrEmpty), errors.Is(err, gateway.ErrCut):
		e.Reason = fmt.Sprintf("no usable answer in %s", countOf(tries, "try"))
	case errors.Is(err, gateway.ErrAccess):
		e.Reason = "the provider does not serve this key or model"
	case errors.Is(err, gateway.ErrCircuit), errors.Is(err, gateway.ErrProvider):
		e.Reason = "the provider of the model failed"
	default:
		var edit *edit.Error
		if errors.As(err, &edit) {
			e.Reason = fmt.Sprintf("the model's edits did not apply in %s", countOf(tries, "answer"))
			break
		}
		e.Reason = "the chat agent failed"
	}
	return e
}

func countOf(n int, word string) string {
	switch {
	case n == 1:
		return "1 " + word
	case word == "try":
		return fmt.Sprintf("%d tries", n)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
