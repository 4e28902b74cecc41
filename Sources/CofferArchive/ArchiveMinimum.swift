import CofferCore
import FoundationEssentials

/// What an archive has to reach at least.
///
/// An archive that has lost its end looks like an older one. Whoever knows a commit that was
/// archived, or its date, is told so:
///
/// ```swift
/// try archive.restore(to: "restored.db", atLeast: [.commit(4_711)], key: key)
/// ```
public struct ArchiveMinimum: Sendable {
  /// A minimum whose value is known.
  public enum Value: Sendable, Hashable {
    /// The commit with a number, or a later one.
    case commit(UInt64)
    /// A commit of that date or later, by the clock of the writing machine; to the millisecond.
    case date(Date)
  }

  private enum Source: Sendable {
    case value(Value)
    case anchor(any FreshnessAnchor, path: String)
  }

  private let source: Source

  /// The commit with a number, or a later one.
  public static func commit(_ number: UInt64) -> Self { Self(source: .value(.commit(number))) }

  /// A commit of that date or later, by the clock of the writing machine.
  ///
  /// Seconds below a millisecond don't count, as dates of commits have none.
  public static func date(_ date: Date) -> Self { Self(source: .value(.date(date))) }

  /// The last commit of the archive that an anchor knows.
  ///
  /// A pool that is open with ``Configuration/freshness`` while an ``ArchiveSession`` archives it
  /// keeps that commit in its anchor, at most about a second later, and when it is closed.
  ///
  /// Errors: ``ArchiveError/notInAnchor`` if the anchor knows none, or one of another archive; and
  /// ``FreshnessError`` if the anchor is missing, damaged or of another key.
  /// - Parameter path: The path that the anchor was given: that of the archived database. An anchor
  ///   in a file of its own, such as ``FileAnchor``, needs none.
  public static func anchor(
    _ anchor: some FreshnessAnchor, forDatabaseAt path: String = ""
  ) -> Self {
    Self(source: .anchor(anchor, path: path))
  }

  /// Throws if an archive doesn't reach this.
  func check(_ last: ArchiveCommit?, _ reader: ArchiveReader) throws {
    let value: Value
    switch source {
    case .value(let known): value = known
    case .anchor(let anchor, let path):
      guard let end = try anchor.archivedEnd(forDatabaseAt: path, key: reader.key),
        end.archive == reader.manifest.header.archive
      else { throw ArchiveError.notInAnchor }
      value = .commit(end.commit)
    }
    guard let last, value.isReached(by: last) else {
      throw ArchiveError.notReached(value, last: last)
    }
  }
}

extension ArchiveMinimum.Value: CustomStringConvertible {
  /// The commit, or the date with its milliseconds.
  public var description: String {
    switch self {
    case .commit(let number): "commit \(number)"
    case .date(let date): "a commit of \(ArchiveCommit.text(date)) or later"
    }
  }

  fileprivate func isReached(by commit: ArchiveCommit) -> Bool {
    switch self {
    case .commit(let number): commit.number >= number
    case .date(let date): commit.date.archivedMilliseconds >= date.archivedMilliseconds
    }
  }
}

extension ArchiveCommit {
  /// The date with its milliseconds, as the tool prints and parses it.
  package var dateText: String { Self.text(date) }

  fileprivate static func text(_ date: Date) -> String {
    // The style cuts what is behind them.
    let rounded = ((date.timeIntervalSince1970 * 1_000).rounded() + 0.5) / 1_000
    return Date(timeIntervalSince1970: rounded)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension [ArchiveMinimum] {
  /// Throws for the first one that an archive doesn't reach.
  func check(_ last: ArchiveCommit?, _ reader: ArchiveReader) throws {
    for minimum in self { try minimum.check(last, reader) }
  }

  /// Throws for the first one that an archive's last commit that can be restored doesn't reach.
  func check(_ archive: Archive, _ reader: ArchiveReader) throws {
    guard !isEmpty else { return }
    try check(archive.last(reader), reader)
  }
}
