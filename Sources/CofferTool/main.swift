import Glibc

let signals = Leftovers.removeOnSignals()
let console = Console.standard { Leftovers.exit(withCode: 128 + SIGPIPE) }
exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: console))
