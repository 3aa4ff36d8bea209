package boot

// Names of the program's other roles. They are here and not with the rest of what is
// agreed upon: who starts a process by one of them imports this package, and so has it
// take over there. A program without it would start itself again and again.
const (
	// InitName as the program's name makes it the first process of a sandbox.
	InitName = "atoll-sandbox-init"
	// StarterName as the program's name makes it the process that starts others.
	StarterName = "atoll-sandbox-starter"
)
