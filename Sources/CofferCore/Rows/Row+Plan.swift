extension Row {
  /// Returns a record type's cached findings about the row's columns, made by `make` at first.
  ///
  /// All rows of a cursor share the object; so do all cursors of a statement without an adapter.
  /// Plans are looked up by their class, which can be generic over the record type.
  @inlinable
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let plan, Swift.type(of: plan) == Plan.self {
      // SAFETY: the object has exactly that class.
      return unsafeDowncast(plan, to: Plan.self)
    }
    return try findPlan(type, make: make)
  }

  @usableFromInline
  package func findPlan<Plan: AnyObject>(
    _ type: Plan.Type, make: () throws -> Plan
  ) rethrows -> Plan {
    let statement = adaptation == nil ? statement : nil
    if let known = statement?.plans.first(where: { Swift.type(of: $0) == Plan.self }) {
      plan = known
      return unsafeDowncast(known, to: Plan.self)  // SAFETY: as above.
    }
    let made = try make()
    plan = made
    statement?.plans.append(made)
    return made
  }
}
