package archive

// Uniform returns a shape on [0,1] in every axis, the frame of the learned
// space. Names may be shorter than bins.
func Uniform(bins []int, names ...string) Shape {
	s := Shape{Axes: make([]Axis, len(bins))}
	for i, b := range bins {
		s.Axes[i] = Axis{Lo: 0, Hi: 1, Bins: b}
		if i < len(names) {
			s.Axes[i].Name = names[i]
		}
	}
	return s
}

// Centres are those of the regions, by number.
func (s Shape) Centres() [][]float64 { return s.Regions.centres }
