// Package doctor checks whether a search could run here, and whether what it
// keeps is whole.
//
// [Check] looks at the machine, the sandbox, the repository, the configuration
// and the store; deep, it measures the root twice and lets every agent carry out
// one small task, which may cost money. Each finding is a line with what to do
// next. It repairs nothing.
package doctor
