import Coffer
import CofferTestSupport
import Dispatch
import Foundation
import Testing

struct Player: FetchableRecord, PersistableRecord, TableRecord, Codable, Equatable {
  var id: Int64
  var name: String
  var team: String?

  static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT);
    CREATE TABLE other (id INTEGER PRIMARY KEY);
    """

  /// The schema, and two players.
  static let two =
    schema + "INSERT INTO player VALUES (1, 'Arthur', NULL), (2, 'Barbara', NULL);"
}

/// A record that has no table.
struct Name: FetchableRecord, Decodable, Equatable {
  var name: String
}

/// A controller of all players by name, with a list view that shows them.
func shownPlayers(
  _ kind: EncryptedDatabase.Kind, _ schema: String = Player.two
) throws -> (
  database: EncryptedDatabase, controller: FetchedRecordsController<Player>, view: ListView<Player>
) {
  let database = try EncryptedDatabase(kind, schema)
  let view = ListView<Player>()
  let controller = try FetchedRecordsController(
    database.writer, request: Player.order(Column("name")), queue: view.queue)
  try view.performFetch(controller)
  return (database, controller, view)
}

/// A list view that is updated by a controller's changes alone, and its queue.
///
/// It removes and inserts the records of a batch, and compares the result with the controller.
final class ListView<Record: FetchableRecord & Equatable & SendableMetatype> {
  /// The records of each section.
  private(set) var content: [[Record]] = []
  private(set) var batches: [[FetchedRecordChange]] = []
  private(set) var sectionChanges: [FetchedRecordsSectionChange] = []
  /// Called at the end of each batch.
  var onBatch: () -> Void = {}
  let queue = DispatchQueue(label: "list view")
  private let arrivals = DispatchSemaphore(value: 0)
  private var changes: [(record: Record, change: FetchedRecordChange)] = []
  private var before: [Record] = []

  /// Shows the controller's records, and tracks its changes.
  func show(_ controller: FetchedRecordsController<Record>) {
    controller.trackChanges(
      willChange: { [self] controller in
        before = controller.fetchedRecords
        #expect(before == content.flatMap(\.self))
        (changes, sectionChanges) = ([], [])
      },
      onSectionChange: { [self] controller, change in
        #expect(changes.isEmpty)
        sectionChanges.append(change)
      },
      onChange: { [self] controller, record, change in
        changes.append((record, change))
      },
      didChange: { [self] controller in
        apply(controller)
        batches.append(changes.map(\.change))
        onBatch()
        arrivals.signal()
      })
  }

  /// Fetches, and shows.
  func performFetch(_ controller: FetchedRecordsController<Record>) throws {
    try queue.sync {
      show(controller)
      try controller.performFetch()
      reload(controller)
    }
  }

  func reload(_ controller: FetchedRecordsController<Record>) {
    content = controller.sections.map(\.records)
  }

  /// Waits for the next batch.
  func waitForBatch() { arrivals.wait() }

  /// The changes of the next batch.
  func nextBatch() -> [FetchedRecordChange] {
    waitForBatch()
    return queue.sync { batches.removeFirst() }
  }

  var batchCount: Int { queue.sync { batches.count } }

  private func apply(_ controller: FetchedRecordsController<Record>) {
    var old: [[Record?]] = content
    var arriving: [(path: IndexPath, record: Record)] = []
    for (record, change) in changes {
      switch change {
      case .insertion(let path): arriving.append((path, record))
      case .deletion(let path):
        #expect(old[path.section][path.row] == record)
        old[path.section][path.row] = nil
      case .move(let path, let newPath, _):
        #expect(old[path.section][path.row] != nil)
        old[path.section][path.row] = nil
        arriving.append((newPath, record))
      case .update(let path, _):
        #expect(old[path.section][path.row] != nil)
        old[path.section][path.row] = record
      }
    }
    var new = old.map { $0.compactMap(\.self) }
    for case .deletion(let index) in sectionChanges.reversed() {
      #expect(new[index].isEmpty)
      new.remove(at: index)
    }
    for case .insertion(let index) in sectionChanges { new.insert([], at: index) }
    for (path, record) in arriving.sorted(by: { $0.path < $1.path }) {
      guard path.section < new.count, path.row <= new[path.section].count else {
        Issue.record("there is no room for a record at \(path)")
        continue
      }
      new[path.section].insert(record, at: path.row)
    }
    content = new
    #expect(content == controller.sections.map(\.records))
    #expect(content.flatMap(\.self) == controller.fetchedRecords)
  }
}
