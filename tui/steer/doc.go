// Package steer has what a person at the console does to the experiment:
// decisions about candidates, jobs and the whole, with the rows they have in the
// key table and the reasons why a row does nothing now.
//
// Its three nouns are the [Actions], the [Controller] that writes decisions to
// the log, and [Done], the message that ends an action.
//
// Caveats: nothing is shown as done before the feed shows it. Actions are made
// on the screen's goroutine; what they ask of the controller runs in a command.
package steer
