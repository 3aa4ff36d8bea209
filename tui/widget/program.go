package widget

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Show runs p until the person leaves it or ctx ends. At the end of ctx p is
// asked to leave, as a person would; [tea.WithContext] kills it instead, and a
// program that is killed closes what reads the terminal while that still reads.
func Show(ctx context.Context, p *tea.Program) (tea.Model, error) {
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-ctx.Done():
			p.Quit() // waits until p takes it or is over
		case <-ended:
		}
	})
	defer wg.Wait()
	defer close(ended)
	return p.Run()
}
