import CofferVault

/// The parts of requests print their SQL, but no values: programs log requests, and dump what holds
/// them.
extension SQL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text, with `?` for values, and `…` for what only a database can render.
  public var description: String {
    let text = elements.map { element in
      switch element {
      case .sql(let text, _): text
      case .argument: "?"
      case .list: "(?)"
      case .node: "…"
      }
    }
    return SQLString(text.joined()).redacted
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing but the ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SQLExpression: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The SQL, with `?` for values, and `…` for what only a database can render.
  public var description: String {
    switch content {
    case .value: "?"
    case .sql(let sql): sql.description
    case .node: "…"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing but the ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
