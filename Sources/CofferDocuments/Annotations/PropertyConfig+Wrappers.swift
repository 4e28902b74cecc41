/// An index on a property, for filters and sorting.
public typealias Index<Value: Codable & Equatable> =
  AnnotatedProperty<Value, PropertyConfig.Indexed>

/// A unique index on a property: no two documents can have the same value.
///
/// nil is stored as NULL, which any number of documents can have. In combination with `@Index`,
/// there is one index.
public typealias Unique<Value: Codable & Equatable> =
  AnnotatedProperty<Value, PropertyConfig.UniquelyIndexed>

/// Compares a property by `Collation.binary` in its index, in filters and in sorting.
public typealias CollateBinary<Value: Codable & Equatable> =
  AnnotatedProperty<Value, PropertyConfig.Binary>

/// Compares a property by `Collation.caseInsensitive` in its index, in filters and in sorting.
public typealias CollateCaseInsensitive<Value: Codable & Equatable> =
  AnnotatedProperty<Value, PropertyConfig.CaseInsensitive>

/// Compares a property by `Collation.localized` in its index, in filters and in sorting.
public typealias CollateLocalized<Value: Codable & Equatable> =
  AnnotatedProperty<Value, PropertyConfig.Localized>

/// Compares a property by `Collation.localizedCaseInsensitive`.
///
/// Applies to its index, to filters and to sorting.
public typealias CollateLocalizedCaseInsensitive<Value: Codable & Equatable> =
  AnnotatedProperty<Value, PropertyConfig.LocalizedCaseInsensitive>

extension PropertyConfig {
  /// The configuration of ``Index``.
  public enum Indexed: PropertyConfigSource {
    /// An index.
    public static var propertyConfig: PropertyConfig { .index(unique: false) }
  }

  /// The configuration of ``Unique``.
  public enum UniquelyIndexed: PropertyConfigSource {
    /// A unique index.
    public static var propertyConfig: PropertyConfig { .index(unique: true) }
  }

  /// The configuration of ``CollateBinary``.
  public enum Binary: PropertyConfigSource {
    /// The order of the bytes.
    public static var propertyConfig: PropertyConfig { .collation(.binary) }
  }

  /// The configuration of ``CollateCaseInsensitive``.
  public enum CaseInsensitive: PropertyConfigSource {
    /// An order that ignores case.
    public static var propertyConfig: PropertyConfig { .collation(.caseInsensitive) }
  }

  /// The configuration of ``CollateLocalized``.
  public enum Localized: PropertyConfigSource {
    /// The order of the process's locale.
    public static var propertyConfig: PropertyConfig { .collation(.localized) }
  }

  /// The configuration of ``CollateLocalizedCaseInsensitive``.
  public enum LocalizedCaseInsensitive: PropertyConfigSource {
    /// The order of the process's locale, which ignores case.
    public static var propertyConfig: PropertyConfig { .collation(.localizedCaseInsensitive) }
  }
}
