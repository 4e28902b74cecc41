import Coffer
import CofferArchive
import Foundation

extension Tool {
  /// Returns the destination that a TARGET names.
  ///
  /// - Parameter connections: Those that several destinations share; nil for its own.
  static func archiveDestination(
    _ text: String, _ connections: S3Connections = S3Connections()
  ) throws -> any ArchiveDestination {
    guard let scheme = text.range(of: "://").map({ text[..<$0.lowerBound] }) else {
      return FolderDestination(path: text)
    }
    guard scheme == "s3" else {
      throw ToolError(
        .usage,
        "\(String(scheme).printable):// is no place of an archive: give a folder, or "
          + "s3://bucket/prefix")
    }
    return try S3Destination(text, sharing: connections)
  }
}

extension Tool {
  /// Has what an archive tells beside its errors written to the error output, a line each.
  static func tellArchiveLog(_ console: Console) {
    let write = console.logError
    Database.logError = { _, message in
      // SQLite has its own messages, and the end of a session is the error of the command.
      if message.hasPrefix("the archive"), !message.hasPrefix("the archive's session") {
        write("coffer: \(message)")
      }
    }
  }
}

extension ArchivePoint {
  /// Parses `latest`, the number of a commit, or a date.
  ///
  /// - Throws: ``ToolError`` with the code ``ToolError/Code/usage``.
  init(_ text: String) throws {
    if text == "latest" {
      self = .latest
    } else if let number = Self.number(text) {
      self = .commit(number)
    } else if let date = Self.date(text, isDayItsEnd: true) {
      self = .date(date)
    } else {
      throw Self.unknown(text, for: "--at", "latest, ")
    }
  }

  fileprivate static func number(_ text: String) -> UInt64? {
    text.allSatisfy { $0.isASCII && $0.isNumber } ? UInt64(text) : nil
  }

  fileprivate static func unknown(_ text: String, for option: String, _ word: String) -> ToolError {
    ToolError(
      .usage,
      "\(option) doesn't know \"\(text.printable)\": \(word)a commit's number, 2026-11-23T17:00:00Z, "
        + "2026-11-23 17:00 by local time, or 2026-11-23")
  }

  /// Parses a date, by local time where it has no zone.
  ///
  /// - Parameter isDayItsEnd: Whether a day is its end. Otherwise it is its beginning.
  fileprivate static func date(_ text: String, isDayItsEnd: Bool) -> Date? {
    let form =
      /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: form)?.output else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    switch match.8 {
    case nil: calendar.timeZone = .current
    case "Z": calendar.timeZone = .gmt
    case let zone?:
      let numbers = zone.dropFirst().split(separator: ":").compactMap { Int($0) }
      let seconds = numbers[0] * 3_600 + numbers[1] * 60
      guard numbers[1] < 60,
        let zone = TimeZone(secondsFromGMT: zone.hasPrefix("-") ? -seconds : seconds)
      else { return nil }
      calendar.timeZone = zone
    }
    let components = DateComponents(
      year: Int(match.1), month: Int(match.2), day: Int(match.3), hour: match.4.flatMap { Int($0) },
      minute: match.5.flatMap { Int($0) }, second: match.6.flatMap { Int($0) })
    guard components.isValidDate(in: calendar), let date = calendar.date(from: components) else {
      return nil
    }
    guard match.4 != nil else {
      guard isDayItsEnd else { return date }
      return calendar.date(byAdding: .day, value: 1, to: date).map { $0 - 0.001 }
    }
    // Dates of commits are whole milliseconds, and have to stay the same.
    let milliseconds = match.7.flatMap { Int(($0 + "00").prefix(3)) } ?? 0
    return Date(
      timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000 + Double(milliseconds)) / 1_000)
  }
}

extension ArchiveCommit {
  /// What the commands print of a commit: its number and its date.
  var line: String { "commit \(number) of \(dateText)" }
}

extension ArchiveSummary.Range {
  /// The numbers of its commits, such as `3 to 7`.
  var text: String {
    first.number == last.number ? "\(first.number)" : "\(first.number) to \(last.number)"
  }
}

extension ArchiveMinimum {
  /// Parses the number of a commit, or a date, of which a day is its beginning.
  ///
  /// - Throws: ``ToolError`` with the code ``ToolError/Code/usage``.
  init(_ text: String) throws {
    if let number = ArchivePoint.number(text) {
      self = .commit(number)
    } else if let date = ArchivePoint.date(text, isDayItsEnd: false) {
      self = .date(date)
    } else {
      throw ArchivePoint.unknown(text, for: "--at-least", "")
    }
  }
}

extension Invocation {
  /// What an archive has to reach, by `--at-least` and by the anchor.
  func archiveMinimums() throws -> [ArchiveMinimum] {
    var minimums = try value("at-least").map { [try ArchiveMinimum($0)] } ?? []
    if let path = value("anchor") { minimums.append(.anchor(FileAnchor(path: path))) }
    return minimums
  }

  /// The writer that is taken over.
  func takenOver() throws -> UInt64? {
    guard let text = value("take-over") else { return nil }
    guard let number = ArchivePoint.number(text) else {
      throw ToolError(
        .usage,
        "--take-over takes the writer's number, as coffer archive status shows it, and not "
          + text.printable)
    }
    return number
  }

  /// How an archive is written, as the options say.
  func archiveConfiguration() throws -> ArchiveConfiguration {
    var configuration = ArchiveConfiguration()
    configuration.interval = try interval() ?? configuration.interval
    configuration.takesOverWriter = try takenOver()
    configuration.retention = try retention()
    configuration.snapshotInterval = try duration("snapshots") ?? configuration.snapshotInterval
    configuration.layerIntervals = try layerIntervals() ?? configuration.layerIntervals
    configuration.maximumLogSize = try logLimit() ?? configuration.maximumLogSize
    return configuration
  }

  /// The times between two layers of each level, such as `5min,1h,1d`.
  private func layerIntervals() throws -> [Duration]? {
    guard let text = value("layers") else { return nil }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let durations = parts.compactMap { Self.duration(String($0)) }
    guard durations.count == 3, parts.count == 3, durations[0] >= .seconds(1),
      zip(durations, durations.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      throw ToolError(
        .usage,
        "--layers takes three ascending times, such as 5min,1h,1d, and not \(text.printable)")
    }
    return durations
  }

  /// How long an archive is kept, as the options say.
  func retention() throws -> ArchiveRetention {
    var retention = ArchiveRetention()
    func set(_ path: WritableKeyPath<ArchiveRetention, Duration>, _ name: String) throws {
      if let duration = try duration(name) { retention[keyPath: path] = duration }
    }
    try set(\.commits, "keep-commits")
    try set(\.fiveMinutes, "keep-5min")
    try set(\.hours, "keep-hours")
    try set(\.days, "keep-days")
    return retention
  }

  /// The duration that an option gives.
  func duration(_ name: String) throws -> Duration? {
    guard let text = value(name) else { return nil }
    guard let duration = Self.duration(text) else {
      throw ToolError(
        .usage,
        "--\(name) takes a number and s, min, h or d, such as 12h, and not " + text.printable)
    }
    return duration
  }

  /// How many bytes of a database's log may wait.
  func logLimit() throws -> Int? {
    guard let text = value("log-limit") else { return nil }
    guard let number = Int(text), (1...(1 << 24)).contains(number) else {
      throw ToolError(.usage, "--log-limit takes a number of MiB, and not \(text.printable)")
    }
    return number << 20
  }

  /// Parses a duration such as `90s`, `30min`, `12h` or `7d`.
  private static func duration(_ text: String) -> Duration? {
    let units = ["s": 1, "min": 60, "h": 3_600, "d": 86_400]
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), let unit = units[String(text.dropFirst(digits.count))],
      number < 1 << 40
    else { return nil }
    return .seconds(number * unit)
  }

  /// The time between two reads of the commits.
  func interval() throws -> Duration? { try seconds("interval") }

  /// The most time that an end takes.
  func within() throws -> Duration { try seconds("within") ?? .seconds(30) }

  private func seconds(_ name: String) throws -> Duration? {
    guard let text = value(name) else { return nil }
    guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
      throw ToolError(.usage, "--\(name) takes a number of seconds, and not \(text.printable)")
    }
    return .milliseconds(Int(seconds * 1_000))
  }
}
