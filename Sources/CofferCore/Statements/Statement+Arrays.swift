import CofferVault

extension Statement {
  @safe func bind(
    _ array: ArrayArgumentStorage, to handle: SQLiteStatement, at index: CInt
  ) -> CInt {
    let address = unsafe Unmanaged.passUnretained(array).toOpaque()
    boundArrays.append(array)
    database.arrays.register(array)
    return SQLite.bindArray(address, to: handle, at: index)
  }

  func releaseArrays() {
    guard !boundArrays.isEmpty else { return }
    if unsafe handle != nil {
      for array in boundArrays { database.arrays.unregister(array) }
    }
    boundArrays = []
  }

  /// Selects the handle that takes arrays if `values` contains arrays, otherwise the plain one.
  ///
  /// The form for arrays is compiled once for a set of parameters that take arrays, and kept: it
  /// doesn't depend on the arrays' lengths.
  func selectHandle(for values: [StatementArgument]) throws {
    releaseArrays()
    guard unsafe handle != nil else { throw DatabaseError.connectionIsClosed }
    let parameters = values.indices.compactMap { index -> Int? in
      if case .array = values[index].content { index + 1 } else { nil }
    }
    guard !parameters.isEmpty else { return use(plainHandle) }
    if unsafe arrayHandle == nil || parameters != arrayParameters {
      let rewritten = try rewrittenSQL(arrays: Set(parameters))
      try database.arrays.prepareModule()
      let new = try database.prepareHandle(rewritten, reportedSQL: sql)
      // A handle must not be in use when it is finalized.
      use(plainHandle)
      if let old = arrayHandle { SQLite.finalize(old) }
      arrayHandle = unsafe new
      arrayParameters = parameters
    } else if let arrayHandle {
      SQLite.clearBindings(arrayHandle)
    }
    if let arrayHandle { use(arrayHandle) }
  }

  /// Selects the handle to step, which can have been compiled for another schema than the last one.
  @safe func use(_ new: SQLiteStatement) {
    guard unsafe new != handle else { return }
    core.pointee.handle = unsafe new
    reprepareCount = SQLite.reprepareCount(new)
    if !hasCurrentColumns(new) { readColumns(of: new) }
  }

  func rewrittenSQL(arrays: Set<Int>) throws -> String {
    do {
      return try ArrayArgumentRewriter(sql).rewrite(arrays: arrays)
    } catch {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)", sql: sql)
    }
  }
}
