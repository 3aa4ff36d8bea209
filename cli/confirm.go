package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// confirm asks a person to agree. Where nobody is there to ask it is an error of
// usage that says so and how to agree beforehand.
func (a *App) confirm(ctx context.Context, question, nobody string) (bool, error) {
	in, ok := a.In.(io.Writer)
	if !ok || !a.IsTTY(in) {
		return false, usage("%s", nobody)
	}
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	answer, err := readLine(ctx, bufio.NewReader(a.In))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}
