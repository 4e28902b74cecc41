import Glibc

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
