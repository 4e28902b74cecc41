import Foundation

/// Builds an encrypted inventory of this machine's packages, queries it, and examines the file
/// without its key.
@main enum Program {
  static func main() {
    // A reader that ends early, such as head, doesn't keep the file from being deleted.
    signal(SIGPIPE, SIG_IGN)
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      guard !options.showsHelp else { return print(Options.help) }
      let output = Output(width: Output.terminalWidth) { print($0, terminator: "") }
      try Demo.run(options, output: output)
    } catch {
      FileHandle.standardError.write(Data("Inventory: \(error)\n".utf8))
      exit(error is UsageError ? 2 : EXIT_FAILURE)
    }
  }
}

/// What the command line asks for.
struct Options: Equatable {
  /// The list of packages to read.
  var list = "/var/lib/dpkg/status"
  /// The file to create and keep; nil for one that is deleted at the end.
  var database: String?
  var showsHelp = false

  static let help = """
    Usage: Inventory [--status FILE] [--db FILE]

    Builds an encrypted inventory of the installed packages, and queries it.

      --status FILE  the list of packages; by default /var/lib/dpkg/status
      --db FILE      create this file, and keep it
    """
}

extension Options {
  init(_ arguments: some Collection<String>) throws {
    var words = Array(arguments)[...]
    while let word = words.popFirst() {
      switch word {
      case "--status": list = try Self.value(of: word, &words)
      case "--db": database = try Self.value(of: word, &words)
      case "--help", "-h": showsHelp = true
      default: throw UsageError(description: "\(word): no such option. --help lists them.")
      }
    }
  }

  private static func value(of option: String, _ words: inout ArraySlice<String>) throws -> String {
    guard let value = words.popFirst(), !value.isEmpty else {
      throw UsageError(description: "\(option) needs the path of a file after it.")
    }
    return value
  }
}

struct UsageError: Error, CustomStringConvertible {
  let description: String
}

/// An error that a person can do something about.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// An error of Foundation about a file: what the system says of it, without the rest.
  init(_ path: String, _ error: any Error, advice: String) {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    self.init("\(path): \(cause.localizedFailureReason ?? cause.localizedDescription). \(advice)")
  }
}
