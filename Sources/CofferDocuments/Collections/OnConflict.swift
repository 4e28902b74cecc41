/// What happens where a document that is inserted has the identifier, or the value of a unique
/// property, of another one.
public enum OnConflict: Sendable, Hashable {
  /// The insertion throws, and nothing is inserted.
  case abort
  /// The document isn't inserted; others of the same batch are.
  case ignore
  /// The document takes the place of the other one: see ``DocumentCollection/save(_:)``.
  case replace
}
