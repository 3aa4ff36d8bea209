package sandbox

import "fmt"

// Mode says which rungs may be taken.
type Mode string

// The modes. Auto takes the higher of the first two rungs that works.
const (
	ModeAuto       Mode = "auto"
	ModeNamespaces Mode = "namespaces"
	ModeLandlock   Mode = "landlock"
	ModeUnsafe     Mode = "unsafe"
)

// Rung is a step of the ladder; lower numbers hold more.
type Rung int

// The rungs.
const (
	Namespaces Rung = 1
	Landlock   Rung = 2
	Plain      Rung = 3
)

// String returns the form people see, "1 namespaces".
func (r Rung) String() string {
	switch r {
	case Namespaces:
		return "1 namespaces"
	case Landlock:
		return "2 landlock"
	case Plain:
		return "3 plain"
	}
	return fmt.Sprintf("%d", int(r))
}
