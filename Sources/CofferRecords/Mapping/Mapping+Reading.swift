import CofferCore

extension Mapping {
  /// Decodes a row.
  @inlinable @inline(__always)
  package func record(from row: Row) throws -> Record {
    let plan = try row.plan(MappingPlan<Record>.self) { try MappingPlan(row, self) }
    var column = 0
    do { return try read(FieldReader(row: row, indices: plan.indices), &column) } catch {
      throw plan.located(error)
    }
  }
}
