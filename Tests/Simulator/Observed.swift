import Coffer
import CofferTestSupport
import Dispatch

/// A value of an observation.
enum ObservedValue: Equatable, Sendable {
  case all(State)
  case notes([Note])
  case count(Int)
}

/// An observation, and the values that it has delivered.
final class Observed {
  enum Kind: Int, CaseIterable {
    case all, notes, count, fixed

    /// Whether a commit of the same connection changes what is observed.
    func concerns(_ old: State, _ new: State) -> Bool {
      switch self {
      case .all, .fixed: true
      case .notes: old.notes != new.notes
      case .count: old.notes.keys != new.notes.keys
      }
    }
  }

  let kind: Kind
  /// A description for messages.
  var name: String { "the observation of \(kind)" }
  private let values = Locked<[ObservedValue]>([])
  private let errors = Locked<[any Error]>([])
  private var cancellable: AnyDatabaseCancellable?
  /// The number of values that were checked.
  private var checked = 0
  /// The place in the history of the last value that was checked.
  private(set) var place: Int

  /// - Parameter place: The place in the history where it begins.
  init(
    _ kind: Kind, _ writer: any DatabaseWriter, _ notes: DocumentCollection<Note>, place: Int
  ) {
    self.kind = kind
    self.place = place
    let (values, errors) = (values, errors)
    let queue = DispatchQueue(label: "coffer.simulator.values")
    let fail: @Sendable (any Error) -> Void = { errors.append($0) }
    switch kind {
    case .all:
      cancellable = ValueObservation.tracking { try State.read($0) }
        .start(in: writer, scheduling: .async(onQueue: queue), onError: fail) {
          values.append(.all($0))
        }
    case .fixed:
      cancellable = ValueObservation.trackingConstantRegion { try State.read($0) }
        .start(in: writer, scheduling: .async(onQueue: queue), onError: fail) {
          values.append(.all($0))
        }
    case .notes:
      cancellable = notes.all().orderBy(\.id)
        .observe(scheduling: .async(onQueue: queue), onError: fail) { values.append(.notes($0)) }
    case .count:
      cancellable = notes.observeCount(scheduling: .async(onQueue: queue), onError: fail) {
        values.append(.count($0))
      }
    }
  }

  private func value(_ state: State) -> ObservedValue {
    switch kind {
    case .all, .fixed: .all(state)
    case .notes: .notes(state.notes.values.sorted { $0.id < $1.id })
    case .count: .count(state.notes.count)
    }
  }

  /// The error that has ended it.
  var error: (any Error)? { errors.value.first }

  /// Whether the last value is that of a place in the history from `required` on.
  func isUpToDate(_ history: [State], required: Int) -> Bool {
    guard let last = values.value.last else { return false }
    return history[required...].contains { value($0) == last }
  }

  /// Throws if a value isn't one that the history has at the last value's place or after it.
  /// - Returns: The number of new values.
  func check(_ history: [State]) throws -> Int {
    let values = values.value
    for seen in values[checked...] {
      guard let next = history[place...].firstIndex(where: { value($0) == seen }) else {
        throw Violation("\(name) delivered \(describe(seen, history)) after place \(place)")
      }
      place = next
    }
    defer { checked = values.count }
    return values.count - checked
  }

  private func describe(_ seen: ObservedValue, _ history: [State]) -> String {
    guard case .all(let state) = seen else { return "\(seen)" }
    let index = min(max(state.version, 0), history.count - 1)
    return "version \(state.version): \(state.difference(from: history[index]))"
  }

  func cancel() { cancellable?.cancel() }
}
