package behavior_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"atoll/engine/behavior"
	"atoll/store/record"
)

func TestAReservoirDoesNotDependOnTheOrder(t *testing.T) {
	vectors := cloud(rand.New(rand.NewPCG(1, 1)), 500, 4, 1, 1, 1)
	vectors[300] = vectors[20] // the same tree, or as good as
	fill := func(order []int) *behavior.Reservoir {
		r := behavior.NewReservoir(9, 64)
		for _, i := range order {
			r.Add(record.CandidateID(i), vectors[i])
		}
		return r
	}
	order := make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	a := fill(order)
	rand.New(rand.NewPCG(2, 2)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	b := fill(order)
	if !reflect.DeepEqual(a.Vectors(), b.Vectors()) {
		t.Error("two orders keep two samples")
	}
	if n := len(a.Vectors()); n < 64 || n > 65 || a.Distinct() != 499 {
		t.Errorf("%d kept, %d distinct", n, a.Distinct())
	}
	if !reflect.DeepEqual(a.Vectors()[0], vectors[0]) {
		t.Error("the root is not the first")
	}
	latest := fill(order).Latest()
	if len(latest) != 100 || !reflect.DeepEqual(latest[99], vectors[order[499]]) || !reflect.DeepEqual(latest[0], vectors[order[400]]) {
		t.Error("the latest are not the last 100 in order")
	}
}

func TestAReservoirIsFairOverTime(t *testing.T) {
	vectors := cloud(rand.New(rand.NewPCG(3, 3)), 4000, 4, 1, 1, 1)
	early := 0
	r := behavior.NewReservoir(4, 1000)
	for i, v := range vectors {
		r.Add(record.CandidateID(i+1), v)
	}
	first := map[*float32]bool{}
	for _, v := range vectors[:2000] {
		first[&v[0]] = true
	}
	for _, v := range r.Vectors() {
		if first[&v[0]] {
			early++
		}
	}
	if early < 420 || early > 580 {
		t.Errorf("%d of 1000 come from the first half", early)
	}
}
