package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// The errors that callers tell apart, by errors.Is. No text holds a key.
var (
	// ErrBudget: a budget has less left than the request can cost at most, or the
	// account was stopped. Nothing was sent. A [Ledger] returns it too.
	ErrBudget = errors.New("the money budget does not allow this request")
	// ErrUnknownPrice: money is limited and the model has no price. Nothing was sent.
	ErrUnknownPrice = errors.New("the price of the model is not known")
	// ErrUnbounded: money is limited and the request's cost has no bound. Nothing was sent.
	ErrUnbounded = errors.New("the cost of the request has no bound")
	// ErrProvider: the provider answered with an error, or not at all. See [ProviderError].
	ErrProvider = errors.New("the provider failed")
	// ErrCircuit: the provider failed so often that it is left alone for a while.
	ErrCircuit = errors.New("the provider keeps failing and is left alone for a while")
	// ErrRefused: the model or a content filter refused to answer.
	ErrRefused = errors.New("the model refused to answer")
	// ErrEmpty: the answer was complete and had no text.
	ErrEmpty = errors.New("the answer is empty")
	// ErrCut: the answer ended before its end, or was larger than allowed.
	ErrCut = errors.New("the answer was cut")
	// ErrEndless: the model talked for longer than an answer may take. It is an ErrCut.
	ErrEndless = errors.New("the model did not end its answer")
	// ErrAccess: the provider does not serve what is configured: the key is missing
	// or refused, the account behind it has nothing left, the model has another name, the
	// provider another address, or a door stands before it. Asking again is no use until a person did
	// something about it; [ProviderError] has the name of the key's environment
	// variable and of the model, and why.
	ErrAccess = errors.New("the provider does not serve this key or model")
	// ErrNoKey: the environment variable that should hold the key is empty. It is an
	// ErrAccess, and nothing was sent.
	ErrNoKey = errors.New("the key is missing")
	// ErrRequests: the job has made as many requests as it may. Nothing was sent.
	ErrRequests = errors.New("this job may make no more requests")
	// ErrNoProvider: there is no provider of that name.
	ErrNoProvider = errors.New("there is no such provider")
	// ErrNoRecording: a replay has no answer to this request.
	ErrNoRecording = errors.New("the recording has no answer to this request")
	// ErrClosed: the account or the endpoint was closed while the request ran.
	ErrClosed = errors.New("the job is over")
)

// ProviderError is an answer that is no success, or the lack of an answer. It
// is an [ErrProvider]; with a refusal that lasts it is an [ErrAccess].
type ProviderError struct {
	Provider string
	KeyEnv   string        // environment variable of its key; "" = it has none
	Model    string        // that was asked for; "" = not known
	Access   Access        // a refusal that lasts; "" = it may pass
	Status   int           // HTTP status; 0 = no answer came
	Reason   string        // what the provider or the network said, without keys, at most a few hundred bytes
	After    time.Duration // what Retry-After asked for; 0 = nothing
	Attempts int           // requests that were sent
	sent     bool          // the request had left, and may have been billed
	err      error         // cause; may be nil
}

// Error says who failed, how, and what to do.
func (e *ProviderError) Error() string {
	if e.Access == KeyMissing {
		text := fmt.Sprintf("%v: provider %s: %s", ErrNoKey, e.Provider, e.Advice())
		if e.Reason != "" {
			text += " (" + e.Reason + ")"
		}
		return text
	}
	what := fmt.Sprintf("status %d", e.Status)
	if e.Status == 0 {
		what = "no answer"
	}
	text := fmt.Sprintf("%s: %s", e.Provider, what)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (%d attempts)", e.Attempts)
	}
	if advice := e.Advice(); advice != "" {
		text += "; " + advice
	}
	return text
}

// Advice is what a person can do about it, or "".
func (e *ProviderError) Advice() string {
	switch e.Access {
	case ModelUnknown:
		return fmt.Sprintf("check the model's name %q, and whether the account may use it", e.Model)
	case AddressWrong:
		return "check base_url, and the protocol in api"
	case Barred:
		return "check base_url, and what stands between here and the provider (a proxy, a login, a country that it does not serve)"
	case Later:
		return fmt.Sprintf("the provider asks to wait %s: go on after that, or use another key than the one in %s", e.After.Round(time.Second), cmp.Or(e.KeyEnv, "use"))
	case Served:
	default:
		return e.Access.advice(e.KeyEnv)
	}
	switch e.Status {
	case 404:
		return "check base_url and the model's name"
	case 429:
		return "lower rpm or parallel, or check the account's quota"
	case 0:
		return "check base_url and the network"
	}
	return ""
}

// Is makes it an [ErrProvider] where the provider was asked, an [ErrAccess] with
// a refusal that lasts, and an [ErrNoKey] without a key.
func (e *ProviderError) Is(target error) bool {
	switch target {
	case ErrProvider:
		return e.Access != KeyMissing
	case ErrAccess:
		return e.Access != Served
	case ErrNoKey:
		return e.Access == KeyMissing
	}
	return false
}

// Unwrap returns the cause, such as context.DeadlineExceeded.
func (e *ProviderError) Unwrap() error { return e.err }
