/// What happens where a document that is inserted has the identifier, or the value of a unique
/// property, of another one.
public enum OnConflict: Sendable, Hashable {
  /// The insertion throws, and nothing is inserted.
  case abort
  /// The document isn't inserted; others of the same batch are.
  case ignore
  /// The document takes the place of all others that have its identifier, or its value of a unique
  /// property: these are deleted, but for the one with its identifier, which is updated.
  ///
  /// A type without an identifier replaces by its unique properties alone.
  case replace
}
