package probe

// draws is where a case takes its choices from: a seeded generator, or a list.
// A list that has ended goes on with zeros, the simplest choice everywhere.
type draws struct {
	state uint64 // of splitmix64 (Steele, Lea and Flood 2014)
	given []uint64
	from  bool // given is used
	loose bool // after the list it goes on with the generator
	used  []uint64
	sets  []uint64 // with which the choices begin: variables to set
	dry   bool     // they are not set

	aim    *aim              // where an edge stands, and which
	last   bool              // the arguments of the method that is looked at are made
	places [2][edgeKinds]int // that there were, before last and in it
	forced []uint64          // the next choices
	sweep  *sweep            // a number that an argument of the call has
	single *single           // of a play: the one part that is exchanged
}

// maxChoices bounds what is remembered of one case; what is drawn beyond is 0.
const maxChoices = 4096

func seeded(seed uint64) *draws { return &draws{state: seed} }

func replayed(choices []uint64) *draws { return (&draws{given: choices, from: true}).begun() }

// begun takes the settings with which given choices begin.
func (d *draws) begun() *draws {
	d.sets = setsOf(d.given)
	d.used = append(d.used, d.sets...)
	return d
}

// varied are choices near those of a corpus: some exchanged, left out, repeated,
// or followed by those of another.
func varied(corpus [][]uint64, seed uint64) *draws {
	d := seeded(seed)
	pick := func(n int) int { return int(d.next() % uint64(n)) }
	c := append([]uint64{}, corpus[pick(len(corpus))]...)
	for range 1 + pick(3) {
		if len(c) == 0 {
			break
		}
		at := pick(len(c))
		to := min(len(c), at+1+pick(4))
		switch pick(8) {
		case 0:
			c = append(c[:at:at], c[to:]...)
		case 1:
			c = append(c[:to:to], c[at:]...)
		case 2:
			other := corpus[pick(len(corpus))]
			c = append(c[:at:at], other[min(at, len(other)):]...)
		case 3:
			c[at] += uint64(pick(5)) - 2
		default:
			c[at] = d.next()
		}
	}
	return (&draws{state: d.next(), given: c, from: true, loose: true}).begun()
}

// n returns a choice from 0 to k-1; k is above 0.
func (d *draws) n(k int) int { return int(d.wide(uint64(k))) }

func (d *draws) wide(k uint64) uint64 {
	at := len(d.used)
	if at >= maxChoices {
		return 0
	}
	var v uint64
	switch {
	case len(d.forced) > 0:
		v, d.forced = d.forced[0]%k, d.forced[1:]
	case !d.from:
		v = d.next() % k
	case at < len(d.given):
		v = d.given[at] % k
	case d.loose:
		v = d.next() % k
	}
	d.used = append(d.used, v)
	return v
}

// chance is true in part of 16 cases; the simplest choice is false.
func (d *draws) chance(part int) bool { return d.n(16) >= 16-part }

func (d *draws) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hash is FNV-1a of 64 bits.
func hash(texts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, t := range texts {
		for i := range len(t) {
			h = (h ^ uint64(t[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}

// variants are simpler lists of choices, in a fixed order: shorter ones first,
// then blocks left out, then single choices made smaller.
func variants(c []uint64, limit int) [][]uint64 {
	var out [][]uint64
	add := func(v []uint64) {
		if len(out) < limit {
			out = append(out, v)
		}
	}
	cut := func(from, to int) []uint64 {
		return append(append([]uint64{}, c[:from]...), c[to:]...)
	}
	with := func(i int, v uint64) []uint64 {
		d := append([]uint64{}, c...)
		d[i] = v
		return d
	}
	for n := len(c) / 2; n > 0; n /= 2 {
		add(append([]uint64{}, c[:len(c)-n]...))
	}
	for _, size := range []int{16, 8, 4, 3, 2, 1} {
		step := max(1, size/2)
		for i := 0; i+size <= len(c); i += step {
			add(cut(i, i+size))
		}
	}
	for i, v := range c {
		if v > 0 {
			add(with(i, 0))
		}
		if v > 2 {
			add(with(i, v/2))
		}
		if v > 1 {
			add(with(i, v-1))
		}
	}
	return out
}
