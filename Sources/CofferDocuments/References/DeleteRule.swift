/// The effect of a deletion on the documents that refer to the deleted document.
public enum DeleteRule: Sendable, Hashable {
  /// They are deleted too.
  case cascade
  /// The deletion throws if there are any.
  case restrict
  /// Their property is set to nil.
  case setNull

  var sql: String {
    switch self {
    case .cascade: "CASCADE"
    case .restrict: "RESTRICT"
    case .setNull: "SET NULL"
    }
  }
}
