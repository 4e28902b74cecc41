extension Row {
  /// What a record type has found out about the row's columns: the same object for all rows
  /// of a cursor, and for all cursors of a statement whose rows no adapter changes.
  ///
  /// Types know their plans by the plan's class: one that is generic over the record type,
  /// say.
  @inlinable
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let plan, Swift.type(of: plan) == Plan.self {
      // SAFETY: it is of that very class.
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
