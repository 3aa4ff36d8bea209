package kernel

// StepError says which step of the preparation failed.
type StepError struct {
	what string
	Err  error
}

func (e *StepError) Error() string { return e.what + ": " + e.Err.Error() }

func Step(what string, err error) error {
	if err == nil {
		return nil
	}
	return &StepError{what, err}
}
