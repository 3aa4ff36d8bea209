package engine

// KeepBytes has an engine keep at most n bytes of its fold in memory.
func KeepBytes(e *Engine, n int) { e.keep = n }

// LoadStateIn is LoadState for a state that lies in pages.
var LoadStateIn = loadState
