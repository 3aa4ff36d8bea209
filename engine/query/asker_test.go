package query

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"atoll/engine/fold"
)

func TestAQuestionThatNobodyAnswersEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := make(Questions).Ask(ctx, func(*fold.State) { t.Error("a question ran without an owner of the state") })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestAQuestionThatWasTakenIsWaitedForWhateverBecomesOfItsContext(t *testing.T) {
	questions := make(Questions)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		question := <-questions
		cancel()
		runtime.Gosched() // gives one who does not wait the time to go on
		question(nil)
	}()
	var seen []int
	if err := questions.Ask(ctx, func(*fold.State) { seen = append(seen, 1) }); err != nil {
		t.Fatalf("an answered question ends with %v", err)
	}
	if len(seen) != 1 { // the race detector tells an answer that comes later
		t.Fatalf("the answer is %v", seen)
	}
}

func TestEveryRowIsAskedOnceInOrderAndInParts(t *testing.T) {
	questions, done := make(Questions), make(chan struct{})
	parts := 0
	go func() {
		defer close(done)
		for question := range questions {
			parts++
			question(nil)
		}
	}()
	var seen []int
	if err := askEach(t.Context(), questions, 2500, func(_ *fold.State, i int) { seen = append(seen, i) }); err != nil {
		t.Fatal(err)
	}
	close(questions)
	<-done
	if len(seen) != 2500 || parts != 3 {
		t.Fatalf("%d rows were asked in %d parts", len(seen), parts)
	}
	for i, row := range seen {
		if i != row {
			t.Fatalf("row %d was asked as number %d", row, i)
		}
	}
}
