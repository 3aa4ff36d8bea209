// Package gateway stands between agents and the providers of models. It holds
// the keys, and nobody else sees them.
//
// Its three nouns are [Gateway] (the providers with their limits, breakers and
// prices), [Account] (who pays: one job, with its ledger and its own limit) and
// [Exchange], one recorded request and answer. There are two faces over one
// core: [Client.Complete] asks a model and returns its text, and
// [Gateway.Serve] opens an HTTP endpoint for one job whose client (a coding CLI
// in a sandbox) knows only a random token.
//
// Money: before each request the most it can cost is reserved in the account's
// [Ledger]: every byte of the request counted as an input token, and the
// largest answer asked for as output tokens. It is settled afterwards with what
// the provider reported. A request whose price is unknown is refused when money
// is limited. An answer whose usage nobody reported is settled at the reserved
// amount when money is limited, and as unknown when it is not.
//
// Caveats: a byte is at most one token only while all of the input is in the
// request, so under a limit requests that name content stored elsewhere are
// refused, and tools that a provider runs (and bills) itself are taken out.
// A provider that bills more than it was asked for cannot be prevented, only
// noticed: the account is stopped. A cancelled request may have been billed, so
// it is settled like one without a usage. Retries of one call are separate
// requests, each reserved and settled.
package gateway
