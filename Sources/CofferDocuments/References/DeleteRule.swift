/// What happens to the documents that refer to a document which is deleted.
public enum DeleteRule: Sendable, Hashable {
  /// They are deleted too.
  case cascade
  /// The deletion throws as long as there are any.
  case restrict
  /// Their property becomes nil.
  case setNull

  var sql: String {
    switch self {
    case .cascade: "CASCADE"
    case .restrict: "RESTRICT"
    case .setNull: "SET NULL"
    }
  }
}
