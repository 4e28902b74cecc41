/// The resolution of a conflict between an inserted document and existing documents.
///
/// Documents conflict if they have the same identifier, or the same value in a unique property.
public enum OnConflict: Sendable, Hashable {
  /// The insertion throws, and nothing is inserted.
  case abort
  /// The document isn't inserted.
  ///
  /// The other documents of its batch are.
  case ignore
  /// The document replaces all documents that conflict with it.
  ///
  /// The document with the same identifier is updated; documents with the same value in a unique
  /// property are deleted.
  ///
  /// If the type has no identifier, only unique properties count.
  case replace
}
