package sandbox

// HasX32 says that the machine's kernel may have a second system call interface.
const HasX32 = true
