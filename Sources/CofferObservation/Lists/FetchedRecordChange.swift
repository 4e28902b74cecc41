import CofferCore
import FoundationEssentials

/// A change of a record in a ``FetchedRecordsController``.
///
/// ```swift
/// switch change {
/// case .insertion(let indexPath): tableView.insertRows(at: [indexPath])
/// case .deletion(let indexPath): tableView.deleteRows(at: [indexPath])
/// case .update(let indexPath, _): tableView.reloadRows(at: [indexPath])
/// case .move(let indexPath, let newIndexPath, _):
///   tableView.deleteRows(at: [indexPath])
///   tableView.insertRows(at: [newIndexPath])
/// }
/// ```
///
/// All changes of one batch belong together, as list views expect: index paths of deletions and
/// updates, and the sources of moves, refer to the old list; index paths of insertions, and the
/// destinations of moves, refer to the new list. To get the new list, first remove all deleted or
/// moved records, from the last to the first, and then insert all inserted or moved ones, from the
/// first to the last.
public enum FetchedRecordChange: Sendable, Hashable {
  /// The record was inserted at an index path.
  case insertion(indexPath: IndexPath)

  /// The record was deleted from an index path.
  case deletion(indexPath: IndexPath)

  /// The record was moved.
  ///
  /// `changes` are as in an update, and empty if the record is unchanged.
  case move(indexPath: IndexPath, newIndexPath: IndexPath, changes: [String: DatabaseValue])

  /// The record at an index path was updated.
  ///
  /// `changes` holds the old values of the changed columns.
  ///
  /// Changes of joined or prefetched rows are not listed there.
  case update(indexPath: IndexPath, changes: [String: DatabaseValue])
}

extension FetchedRecordChange: CustomStringConvertible, CustomReflectable {
  /// The change and the names of the changed columns, without their values.
  public var description: String {
    switch self {
    case .insertion(let path): "insertion at \(Self.text(path))"
    case .deletion(let path): "deletion at \(Self.text(path))"
    case .move(let path, let newPath, let changes):
      "move from \(Self.text(path)) to \(Self.text(newPath))" + Self.text(changes)
    case .update(let path, let changes): "update at \(Self.text(path))" + Self.text(changes)
    }
  }

  /// An empty mirror, so that values are not shown.
  public var customMirror: Mirror { Mirror(self, children: []) }

  private static func text(_ path: IndexPath) -> String {
    path.map(String.init).joined(separator: ".")
  }

  private static func text(_ changes: [String: DatabaseValue]) -> String {
    changes.isEmpty ? "" : " (\(changes.keys.sorted().joined(separator: ", ")))"
  }
}

/// A change of a section in a ``FetchedRecordsController``.
///
/// The records of an inserted section are also reported as insertions, and the records of a deleted
/// section as deletions.
public enum FetchedRecordsSectionChange: Sendable, Hashable {
  /// The section was inserted, at an index in the new sections.
  case insertion(index: Int)

  /// The section was deleted, at an index in the old sections.
  case deletion(index: Int)
}

/// A section of a ``FetchedRecordsController``.
///
/// ```swift
/// for section in controller.sections { print(section.name ?? "", section.numberOfRecords) }
/// ```
public struct FetchedRecordsSectionInfo<Record> {
  /// The section name of the records.
  ///
  /// Nil if the controller has no `sectionName`.
  public let name: String?

  private let slice: ArraySlice<Record>

  init(name: String?, records: ArraySlice<Record>) {
    self.name = name
    slice = records
  }

  /// The number of records in the section.
  public var numberOfRecords: Int { slice.count }

  /// The records of the section, in order.
  public var records: [Record] { Array(slice) }
}
