import CofferCore
import CofferQuery

/// A column of a ``Mapping``.
public struct MappedColumn: Sendable {
  /// The name of the column.
  public private(set) var name: String

  /// The type of the property.
  public let type: Any.Type

  /// Whether the property can be nil.
  public private(set) var isOptional: Bool

  let storedType: StoredType
  let options: [FieldOption]

  init(_ name: String, _ type: Any.Type, _ storedType: StoredType, _ options: [FieldOption]) {
    self.name = name
    self.type = type
    self.storedType = storedType
    self.options = options
    isOptional = type is any AnyOptional.Type || type == DatabaseValue.self
  }

  func prefixed(_ prefix: String) -> MappedColumn {
    var column = self
    column.name = prefix + name
    return column
  }

  var nullable: MappedColumn {
    var column = self
    column.isOptional = true
    return column
  }

  /// Whether it is declared as part of the primary key.
  var isInPrimaryKey: Bool {
    options.contains { if case .primaryKey = $0.kind { true } else { false } }
  }

  /// The type in the column's definition; nil for none.
  var declaredType: Database.ColumnType? {
    for option in options {
      if case .type(let type) = option.kind { return type }
    }
    return storedType.declaredType
  }
}
