import Coffer

/// The command-line tool.
enum Tool {
  static let version = "0.1.0"

  static let usage = """
    Usage:
      coffer demo [--status FILE] [--db FILE] [--keep]
      coffer inspect FILE
      coffer --help | --version

    demo     Builds an encrypted inventory of the installed packages, asks it ten
             questions, and shows that its file has no readable text.
      --status FILE   the list of packages (default: /var/lib/dpkg/status)
      --db FILE       make this file, and keep it (default: a temporary file)
      --keep          keep the temporary file
    inspect  Tells what a database file is, without its key.

    """

  /// Executes the command and returns the exit code.
  ///
  /// - Parameter arguments: The arguments, without the tool's name.
  static func run(_ arguments: [String], console: Console) -> Int32 {
    do {
      switch try Command(arguments: arguments) {
      case .demo(let options): try Demo.run(options, console: console)
      case .inspect(let path): try inspect(path, console)
      case .help: console.write(usage)
      case .version: try printVersion(console)
      }
      return 0
    } catch let error as ToolError {
      console.error("coffer: \(error)")
      if error.code == .usage { console.writeError("\n" + usage) }
      return error.code.rawValue
    } catch {
      console.error("coffer: \(error)")
      return ToolError.Code.software.rawValue
    }
  }

  private static func printVersion(_ console: Console) throws {
    let engine = try DatabaseQueue().read { db in
      (
        cipher: try String.fetchOne(db, sql: "PRAGMA cipher_version") ?? "none",
        sqlite: try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "?"
      )
    }
    console.line("coffer \(version) (SQLCipher \(engine.cipher), SQLite \(engine.sqlite))")
  }
}
