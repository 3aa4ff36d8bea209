package simulate

import (
	"cmp"
	"math"
	"slices"

	"atoll/store/record"
)

// How long nothing must end, in the usual times from one end to the next, and in
// milliseconds at least, to be no chance.
const (
	quietTimes = 20
	quietLeast = 10_000
	mostly     = 0.8 // share of the time from which on a machine counts as one that was always there
)

// spell is how long a stretch without an end must be to count, by what is usual in a list of
// ends that is sorted.
func spell(ends []int64) int64 {
	var gaps []int64
	for i := 1; i < len(ends); i++ {
		gaps = append(gaps, ends[i]-ends[i-1])
	}
	if len(gaps) == 0 {
		return quietLeast
	}
	slices.Sort(gaps)
	return max(quietLeast, quietTimes*gaps[len(gaps)/2])
}

// stood is for how many milliseconds a run stood between its first job and its last: nobody
// had it run, or it was paused. The time that the next job itself takes is none of it.
func stood(jobs []record.Job) (still int64) {
	sorted := slices.Clone(jobs)
	slices.SortFunc(sorted, func(a, b record.Job) int { return cmp.Compare(a.Ended, b.Ended) })
	ends := make([]int64, len(sorted))
	for i := range sorted {
		ends[i] = int64(sorted[i].Ended)
	}
	long := spell(ends)
	for i := 1; i < len(sorted); i++ {
		if gap := ends[i] - ends[i-1] - sorted[i].EditMS - sorted[i].EvalMS; gap > long {
			still += gap
		}
	}
	return still
}

// stay is when a machine was there, as its measurements show.
type stay struct {
	slots int
	said  bool
	time  float64 // in milliseconds
}

// attended works out how many machines there were on the average while anything was done,
// and how many samples each took at the same time.
func (x *Experience) attended(jobs []record.Job, said map[string]int) {
	of := map[string][]record.Job{}
	for _, j := range jobs {
		if j.EvalMS > 0 {
			of[j.Machine] = append(of[j.Machine], j)
		}
	}
	x.Machines, x.Seen, x.Slots, x.SlotsBy = 1, max(1, len(of)), 1, SlotsSaid
	if len(of) == 0 {
		x.SlotsBy = SlotsSeen
		return
	}
	first, last := int64(math.MaxInt64), int64(0)
	var stays []stay
	for name, list := range of {
		slices.SortFunc(list, func(a, b record.Job) int { return cmp.Compare(a.Ended, b.Ended) })
		s := stay{slots: said[name], said: said[name] > 0, time: float64(there(list))}
		if !s.said {
			s.slots, x.SlotsBy = together(list), SlotsSeen
		}
		stays = append(stays, s)
		first, last = min(first, int64(list[0].Ended)-list[0].EvalMS), max(last, int64(list[len(list)-1].Ended))
	}
	whole := max(1, float64(last-first)-1000*x.Still)
	machines, slots := 0.0, 0.0
	for _, s := range stays {
		share := s.time / whole
		if share > mostly {
			share = 1
		}
		machines += share
		slots += share * float64(s.slots)
	}
	x.Machines = max(1, int(math.Round(machines)))
	x.Slots = max(1, int(math.Round(slots/machines)))
}

// there is for how many milliseconds a machine was there: from its first measurement to its
// last, without long stretches in which it had none. Its jobs are sorted by their end.
func there(list []record.Job) int64 {
	ends := make([]int64, len(list))
	for i := range list {
		ends[i] = int64(list[i].Ended)
	}
	long := spell(ends)
	sum := list[0].EvalMS
	for i := 1; i < len(list); i++ {
		if gap := ends[i] - ends[i-1]; gap-list[i].EvalMS > long {
			sum += list[i].EvalMS
		} else {
			sum += gap
		}
	}
	return max(1, sum)
}

// together is how many of its jobs a machine measured at the same time, at most. A
// measurement ends a little before its job does, so the ends of its time do not count.
func together(list []record.Job) int {
	type edge struct {
		at int64
		by int
	}
	var edges []edge
	for _, j := range list {
		trim, end := j.EvalMS/10, int64(j.Ended)
		edges = append(edges, edge{end - j.EvalMS + trim, 1}, edge{end - trim, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	most, now := 0, 0
	for _, e := range edges {
		now += e.by
		most = max(most, now)
	}
	return max(1, most)
}
