extension Row {
  /// Returns a record type's cached findings about the row's columns, made by `make` at first.
  ///
  /// All rows of a cursor share the object; so do all cursors of a statement without an adapter.
  /// Plans are looked up by their class, which can be generic over the record type.
  @inlinable
  package func plan<Plan: AnyObject>(_ type: Plan.Type, make: () throws -> Plan) rethrows -> Plan {
    if let plan, let known = exactly(type, plan) { return known }
    return try findPlan(type, make: make)
  }

  /// Returns the cached plan of a type without retaining it; nil if there is none.
  ///
  /// The row owns it until it gets another plan.
  @inlinable @inline(__always)
  @safe package func unretainedPlan<Plan: AnyObject>(_ type: Plan.Type) -> Unmanaged<Plan>? {
    guard let plan, let known = exactly(type, plan) else { return nil }
    return unsafe .passUnretained(known)
  }

  @usableFromInline
  package func findPlan<Plan: AnyObject>(
    _ type: Plan.Type, make: () throws -> Plan
  ) rethrows -> Plan {
    let statement = adaptation == nil ? statement : nil
    for other in statement?.plans ?? [] {
      guard let known = exactly(type, other) else { continue }
      plan = known
      return known
    }
    let made = try make()
    plan = made
    statement?.plans.append(made)
    return made
  }
}
