/// What happens if an inserted document has the same identifier as another document, or the same
/// value in a unique property.
public enum OnConflict: Sendable, Hashable {
  /// The insertion throws, and nothing is inserted.
  case abort
  /// The document isn't inserted; the others of its batch are.
  case ignore
  /// The document replaces all documents that have its identifier or its value in a unique
  /// property: the one with its identifier is updated, the others are deleted.
  ///
  /// If the type has no identifier, only unique properties count.
  case replace
}
