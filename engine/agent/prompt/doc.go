// Package prompt writes what agents are told, from the texts in its folder templates.
//
// Its three nouns are [View] (all that a template may show of a job), [Prompts]
// (the templates of all roles, built in or of the user) and [Trajectory] (how a
// candidate came about, in a bounded number of lines).
//
// Caveats: secrets are taken out before anything is cut; material of others
// stands between fences that it cannot contain; the same view gives the same
// bytes, and only a structural edit without a kind draws randomness.
package prompt
