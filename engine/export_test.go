package engine

// LoadStateIn is LoadState for a state that lies in pages.
var LoadStateIn = loadState
