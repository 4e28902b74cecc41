import Glibc

// A descriptor that was closed would be that of the next file. What is opened here is the wrong way round,
// so that reading and writing fail.
for (descriptor, way) in [
  (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
] where fcntl(descriptor, F_GETFD) < 0 {
  _ = open("/dev/null", way)
}
// New files are plaintext or keys more often than not: only their owner can read them.
umask(0o077)
Interrupts.takeSignals()
let console = Console.standard { code in
  if code == EPIPE { Leftovers.exit(withCode: 128 + SIGPIPE) }
  let reason = String(cString: strerror(code))
  _ = Console.writeAll(
    "coffer: standard output: \(reason). Check the disk and its free space\n".utf8,
    to: STDERR_FILENO)
  Leftovers.exit(withCode: ToolError.Code.inputOutput.rawValue)
}
exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: console))
