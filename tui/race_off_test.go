//go:build !race

package tui_test

const raced = false
