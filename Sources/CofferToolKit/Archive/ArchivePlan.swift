import Coffer
import CofferArchive
import Foundation

/// A database that a run archives, as its configuration says.
struct ArchiveTask: Equatable, Sendable {
  let section: String
  /// The path of the database.
  let path: String
  let target: String
  /// The options of `archive run`, and their values.
  let options: [String: [String]]

  /// The command that does the same for this database alone.
  var invocation: Invocation {
    Invocation(ArchivePlan.command, arguments: [path], options: options)
  }
}

/// What a configuration has a run archive: databases by path, or by a pattern in a folder.
struct ArchivePlan {
  private struct Source {
    let name: String
    let line: Int
    /// The path, which can have one `*`.
    let path: String
    let options: [String: String]
  }

  /// What a look at the folders has found.
  struct Finding {
    var tasks: [ArchiveTask] = []
    /// What can't be archived, and why.
    var problems: [String] = []
    /// The sections whose folders couldn't be read, so that nothing is known of their databases.
    var unknownSections: Set<String> = []
    /// Whether two databases have one target, or one database two sections.
    var hasConflict = false
  }

  private let file: ArchiveConfigFile
  private var sources: [Source] = []
  /// How many databases of a section use their store at once.
  private(set) var connections: [String: Int] = [:]

  private static let place = "{name}"
  static var command: CommandSpec { Tool.archives[0] }

  /// The options of a run that have no place in a file, or another one.
  private static let others: Set = [
    "to", "config", "once", "within", "metrics", "log", "take-over", "passphrase-fd",
  ]

  private static let keySources = (OptionSpec.keys() + [.recoveryKey]).map(\.name)

  private static var settings: [String] {
    ["database", "to", "connections"]
      + command.options.map(\.name).filter { !others.contains($0) }
  }

  // MARK: Reading

  /// - Throws: ``ToolError`` with the file and the line of what is wrong.
  init(_ file: ArchiveConfigFile) throws {
    self.file = file
    let defaults = file.sections.first { $0.name == ArchiveConfigFile.defaults }
    for section in file.sections {
      for (key, setting) in section.settings.sorted(by: { $0.value.line < $1.value.line }) {
        guard Self.settings.contains(key) else {
          let nearest = NearestName.find(key, in: Self.settings)
          throw file.error(
            setting.line,
            "there is no setting \(key)" + (nearest.map { ": did you mean \($0)?" } ?? ""))
        }
      }
      if section.name != ArchiveConfigFile.defaults { try add(section, defaults) }
    }
    if let setting = defaults?.settings["database"] {
      throw file.error(setting.line, "[defaults] is no database")
    }
    guard !sources.isEmpty else { throw ToolError(.dataError, "\(file.path) names no database") }
  }

  private mutating func add(
    _ section: ArchiveConfigFile.Section, _ defaults: ArchiveConfigFile.Section?
  ) throws {
    var inherited = defaults?.settings ?? [:]
    // A section with a key has no other one.
    if Self.keySources.contains(where: { section.settings[$0] != nil }) {
      for name in Self.keySources { inherited[name] = nil }
    }
    let settings = inherited.merging(section.settings) { $1 }
    func value(_ key: String) throws -> ArchiveConfigFile.Setting {
      guard let setting = settings[key] else {
        throw file.error(section.line, "[\(section.name)] lacks \(key)")
      }
      return setting
    }
    let database = try value("database")
    let target = try value("to")
    let starCount = database.value.count { $0 == "*" }
    guard starCount <= 1 else {
      throw file.error(database.line, "a database has one * at most")
    }
    let rest = target.value.replacing(Self.place, with: "")
    guard !rest.contains("{"), !rest.contains("}") else {
      throw file.error(target.line, "\(Self.place) is all that braces can have")
    }
    guard starCount == 0 || target.value.contains(Self.place) else {
      throw file.error(
        target.line, "several databases need a target each: put \(Self.place) for what * stands for"
      )
    }
    var count = 4
    if let setting = settings["connections"] {
      guard let number = Int(setting.value), (1...1_000).contains(number) else {
        throw file.error(setting.line, "connections takes a number from 1 to 1000")
      }
      count = number
    }
    connections[section.name] = count
    let source = Source(
      name: section.name, line: section.line, path: database.value,
      options: settings.mapValues(\.value).filter { $0.key != "database" })
    do {
      let invocation = Self.task(source, database.value, name: "name").invocation
      _ = try invocation.archiveConfiguration()
      _ = try invocation.value("cipher").map(CipherOption.parse)
      _ = try Tool.archiveDestination(invocation.value("to") ?? "")
      guard try KeySource(invocation) != nil else {
        let names = Self.keySources.filter { $0 != "passphrase-fd" }
        throw ToolError(
          .dataError, "[\(section.name)] lacks a key: " + names.joined(separator: ", "))
      }
    } catch {
      let error = ToolError(error)
      let text = "\(file.path):\(section.line): \(error.description)"
      throw ToolError(error.code == .usage ? .dataError : error.code, text)
    }
    sources.append(source)
  }

  private static func task(_ source: Source, _ path: String, name: String) -> ArchiveTask {
    let options = source.options.mapValues { [$0.replacing(place, with: name)] }
    return ArchiveTask(
      section: source.name, path: path, target: options["to"]?[0] ?? "", options: options)
  }

  // MARK: Finding

  /// Looks for the databases.
  ///
  /// - Parameter known: The paths of those that are archived already: where two databases have one
  ///   target, it is that one's.
  func find(known: Set<String> = []) -> Finding {
    var finding = Finding()
    var found: [ArchiveTask] = []
    for source in sources { found += tasks(source, &finding) }
    found.sort {
      let isKnown = (known.contains($0.path), known.contains($1.path))
      return isKnown.0 == isKnown.1 ? $0.path < $1.path : isKnown.0
    }
    // By another link to a file, SQLite would give it another log.
    var databases: Set<FileIdentity?> = []
    var targets: [String: String] = [:]
    for task in found {
      let identity = FileIdentity(task.path)
      guard identity == nil || databases.insert(identity).inserted else {
        finding.problems.append(
          "\(task.path) is the same file as another one that is archived. Leave one of them out")
        finding.hasConflict = true
        continue
      }
      let target = Self.resolvedTarget(task.target)
      if let other = targets[target] {
        finding.problems.append(
          "\(task.path) and \(other) have one target, \(task.target). Give each its own")
        finding.hasConflict = true
        continue
      }
      targets[target] = task.path
      finding.tasks.append(task)
    }
    return finding
  }

  private func tasks(_ source: Source, _ finding: inout Finding) -> [ArchiveTask] {
    guard source.path.contains("*") else {
      guard Self.isFile(source.path, followsLink: true) else {
        finding.problems.append("\(source.path): no such file")
        return []
      }
      return [Self.task(source, source.path, name: source.name)]
    }
    let parts = source.path.split(separator: "/", omittingEmptySubsequences: false)
    guard let index = parts.firstIndex(where: { $0.contains("*") }) else { return [] }
    let folder = parts[..<index].joined(separator: "/") + (index > 0 ? "/" : "")
    let rest = parts[(index + 1)...].map { "/" + $0 }.joined()
    let halves = parts[index].split(separator: "*", omittingEmptySubsequences: false)
    guard
      let names = try? FileManager.default.contentsOfDirectory(
        atPath: folder.isEmpty ? "." : folder)
    else {
      finding.problems.append("\(folder) can't be read. Check the path and the rights")
      finding.unknownSections.insert(source.name)
      return []
    }
    var tasks: [ArchiveTask] = []
    for name in names.sorted() {
      guard name.hasPrefix(halves[0]), name.hasSuffix(halves[1]),
        name.utf8.count > halves[0].utf8.count + halves[1].utf8.count,
        !name.hasPrefix(".") || halves[0].hasPrefix(".")
      else { continue }
      let path = folder + name + rest
      guard Self.isFile(path, followsLink: false), !Self.isBesideDatabase(path) else { continue }
      let stands = String(name.dropFirst(halves[0].count).dropLast(halves[1].count))
      guard ArchiveConfigFile.isName(stands) else {
        finding.problems.append(
          "\(path): a name with other signs than letters, digits, \".\", \"_\" and \"-\" can't stand in "
            + "a target. Give it a section of its own")
        continue
      }
      tasks.append(Self.task(source, path, name: stands))
    }
    return tasks
  }

  private static func isFile(_ path: String, followsLink: Bool) -> Bool {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a file belongs to a database beside it, or is being written.
  private static func isBesideDatabase(_ path: String) -> Bool {
    if path.hasSuffix(".coffer-partial") { return true }
    return ["-wal", "-shm", "-journal", "-keys", "-archive", "-follow"].contains { suffix in
      path.hasSuffix(suffix) && isFile(String(path.dropLast(suffix.count)), followsLink: true)
    }
  }

  /// The path without links, also of what doesn't exist yet.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else {
      let url = URL(filePath: path).standardized
      let folder = url.deletingLastPathComponent().path
      guard folder != url.path, !folder.isEmpty else { return url.path }
      return resolved(folder) + "/" + url.lastPathComponent
    }
    defer { free(real) }
    return String(cString: real)
  }

  private static func resolvedTarget(_ target: String) -> String {
    guard target.contains("://") else { return resolved(target) }
    return target.hasSuffix("/") ? String(target.dropLast()) : target
  }
}
