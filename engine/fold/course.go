package fold

// stretches is in how many parts of equal length a course is told at most.
const stretches = 32

// course counts in stretches of the job numbers how often something happened. It
// takes the same room however long the experiment is: as numbers grow, stretches
// are joined in pairs.
type course struct {
	width int // of a stretch; 0 before the first count
	n     [stretches]int32
}

// add counts at a job number, or takes a count back where by is -1.
func (c *course) add(at int, by int32) {
	c.reach(at)
	c.n[at/c.width] += by
}

// reach joins stretches until a job number has its own.
func (c *course) reach(at int) {
	c.width = max(c.width, 1)
	for at/c.width >= stretches {
		for i := range stretches / 2 {
			c.n[i] = c.n[2*i] + c.n[2*i+1]
		}
		clear(c.n[stretches/2:])
		c.width *= 2
	}
}

// upTo returns the counts from the first job to the last one.
func (c course) upTo(last int) []int {
	c.reach(last)
	out := make([]int, last/c.width+1)
	for i := range out {
		out[i] = int(c.n[i])
	}
	return out
}
