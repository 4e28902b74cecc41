import CofferCore
import FoundationEssentials

/// What has happened to a record of a ``FetchedRecordsController``.
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
/// All changes of one batch hold together, as list views want it: places of deletions and updates,
/// and those where moves begin, are places in the list before; places of insertions, and those where
/// moves end, are places in the list afterwards. Who takes out, from the last to the first, all that is
/// deleted or moved, and then puts in, from the first to the last, what is inserted or moved, has
/// the new list.
public enum FetchedRecordChange: Sendable, Hashable {
  /// The record is in the list now; where.
  case insertion(indexPath: IndexPath)

  /// The record is no longer in the list; where it was.
  case deletion(indexPath: IndexPath)

  /// The record is elsewhere; `changes` are as those of an update, and empty where it is the same.
  case move(indexPath: IndexPath, newIndexPath: IndexPath, changes: [String: DatabaseValue])

  /// The record has changed; where it was, and the values that its changed columns had before.
  ///
  /// Changes of joined or prefetched rows have no names there.
  case update(indexPath: IndexPath, changes: [String: DatabaseValue])
}

extension FetchedRecordChange: CustomStringConvertible, CustomReflectable {
  /// The change and the names of the columns, without their values.
  public var description: String {
    switch self {
    case .insertion(let path): "insertion at \(Self.text(path))"
    case .deletion(let path): "deletion at \(Self.text(path))"
    case .move(let path, let newPath, let changes):
      "move from \(Self.text(path)) to \(Self.text(newPath))" + Self.text(changes)
    case .update(let path, let changes): "update at \(Self.text(path))" + Self.text(changes)
    }
  }

  /// The description: values are not shown.
  public var customMirror: Mirror { Mirror(self, children: []) }

  private static func text(_ path: IndexPath) -> String {
    path.map(String.init).joined(separator: ".")
  }

  private static func text(_ changes: [String: DatabaseValue]) -> String {
    changes.isEmpty ? "" : " (\(changes.keys.sorted().joined(separator: ", ")))"
  }
}

/// What has happened to a section of a ``FetchedRecordsController``.
///
/// The records of an inserted section are told as insertions, too, and those of a deleted one as
/// deletions.
public enum FetchedRecordsSectionChange: Sendable, Hashable {
  /// The section is there now; its place in the sections afterwards.
  case insertion(index: Int)

  /// The section is no longer there; its place in the sections before.
  case deletion(index: Int)
}

/// A section of a ``FetchedRecordsController``.
///
/// ```swift
/// for section in controller.sections { print(section.name ?? "", section.numberOfRecords) }
/// ```
public struct FetchedRecordsSectionInfo<Record> {
  /// What the records of the section have in common; nil where the controller doesn't make sections.
  public let name: String?

  private let slice: ArraySlice<Record>

  init(name: String?, records: ArraySlice<Record>) {
    self.name = name
    slice = records
  }

  /// How many records the section has.
  public var numberOfRecords: Int { slice.count }

  /// The records of the section, in their order.
  public var records: [Record] { Array(slice) }
}
