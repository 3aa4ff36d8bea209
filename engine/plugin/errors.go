package plugin

import "errors"

// Why a plug-in is refused or ended. Test with errors.Is.
var (
	// ErrManifest: plugin.yaml cannot be read, or says what is not allowed.
	ErrManifest = errors.New("bad manifest")
	// ErrFiles: a file is missing, was changed, or is not in the manifest.
	ErrFiles = errors.New("files differ from the manifest")
	// ErrSignature: the signature is damaged, or of another manifest.
	ErrSignature = errors.New("bad signature")
	// ErrTrust: nobody here agreed to this plug-in, or to what it asks for.
	ErrTrust = errors.New("not trusted")
	// ErrProtocol: what it wrote is not the protocol, or not what its manifest says.
	ErrProtocol = errors.New("protocol")
	// ErrLimit: it was ended at a limit, or died.
	ErrLimit = errors.New("ended")
	// ErrAnswer: it answered, and the answer is of no use.
	ErrAnswer = errors.New("bad answer")
)
