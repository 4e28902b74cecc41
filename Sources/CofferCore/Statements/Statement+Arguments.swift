import CofferVault

extension Statement {
  /// The bound arguments.
  ///
  /// The setter traps if the arguments don't fit the statement; ``setArguments(_:)`` throws
  /// instead. If memory runs out, the next execution throws.
  public var arguments: StatementArguments {
    get { boundArguments }
    set {
      do { try setArguments(newValue) } catch { noteUnbound(error) }
    }
  }

  /// Keeps the failure of a method that can't throw for the next execution; traps if the arguments
  /// are wrong.
  private func noteUnbound(_ error: any Error) {
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN,
      .SQLITE_FULL, .SQLITE_PROTOCOL, .SQLITE_INTERRUPT:
      lacksArguments = true
      bindingError = error
    default: preconditionFailure("\(error)")
    }
  }

  /// Throws an error if the arguments don't fit the statement's parameters.
  public func validateArguments(_ arguments: StatementArguments) throws {
    var arguments = arguments
    _ = try takeArguments(from: &arguments, allowsMore: false)
  }

  /// Binds arguments.
  ///
  /// - Throws: An error, with nothing bound, if an argument is missing or superfluous, or is an
  ///   array outside of an `IN`.
  public func setArguments(_ arguments: StatementArguments) throws {
    if arguments.isPositional, parametersAreAnonymous {
      try arguments.withPositional { values, mayHaveArrays in
        guard values.count == parameterCount else { throw wrongArgumentCount(values.count) }
        try bind(values, mayHaveArrays: mayHaveArrays)
      }
    } else {
      var rest = arguments
      try bind(try takeArguments(from: &rest, allowsMore: false))
    }
    boundArguments = arguments
  }

  /// Binds arguments.
  ///
  /// Missing ones are NULL, and superfluous ones are ignored.
  ///
  /// Traps if an argument can't be bound at all. If memory runs out, the next execution throws.
  public func setUncheckedArguments(_ arguments: StatementArguments) {
    // The connection is closed: the execution throws.
    guard unsafe handle != nil else { return }
    var positional = arguments.positional[...]
    let values = parameterNames.map { name -> StatementArgument in
      if let name, let argument = arguments.named[name] { return argument }
      return positional.popFirst() ?? .null
    }
    do { try bind(values) } catch { return noteUnbound(error) }
    boundArguments = arguments
  }

  /// Binds the arguments that the statement takes, and removes them from `arguments`.
  func consumeArguments(_ arguments: inout StatementArguments) throws {
    let values = try takeArguments(from: &arguments, allowsMore: true)
    try bind(values)
    boundArguments = StatementArguments(positional: values, named: [:])
  }

  func takeArguments(
    from arguments: inout StatementArguments, allowsMore: Bool
  ) throws -> [StatementArgument] {
    let given = arguments.positional.count
    var positional = arguments.positional[...]
    var values: [StatementArgument] = []
    values.reserveCapacity(parameterCount)
    for name in parameterNames {
      if let name, let argument = arguments.named[name] {
        values.append(argument)
      } else if let argument = positional.popFirst() {
        values.append(argument)
      } else if let name {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "missing statement argument: \(name)", sql: sql)
      } else {
        throw wrongArgumentCount(given)
      }
    }
    guard allowsMore || positional.isEmpty else { throw wrongArgumentCount(given) }
    arguments.positional = Array(positional)
    return values
  }

  @usableFromInline
  func wrongArgumentCount(_ count: Int) -> DatabaseError {
    DatabaseError(
      .SQLITE_MISUSE, "wrong number of statement arguments: \(count)",
      note: "The statement takes \(parameterCount).", sql: sql)
  }

  func bind(_ values: [StatementArgument]) throws {
    try unsafe values.withUnsafeBufferPointer { try bind($0) }
  }

  @safe private func bind(
    _ values: UnsafeBufferPointer<StatementArgument>, mayHaveArrays: Bool = true
  ) throws {
    guard unsafe handle != nil else { throw DatabaseError.connectionIsClosed }
    try withDatabase { try $0.checkAccess() }
    var hasArrays = false
    // By address, since a subscript would copy the argument.
    if mayHaveArrays, let start = values.baseAddress {
      for index in 0..<values.count {
        if unsafe (start + index).pointee.isArray { hasArrays = true }
      }
    }
    rewind()
    core.pointee.use &+= 1
    if regionOfArguments != nil { regionOfArguments = nil }
    if unsafe hasArrays || handle != plainHandle {
      do { try unsafe selectHandle(for: Array(values)) } catch {
        clearBindings()
        throw error
      }
    }
    guard let handle else { throw DatabaseError.connectionIsClosed }
    if let start = values.baseAddress {
      let layout = core.pointee.parameters
      for index in 0..<values.count {
        let value = unsafe start + index
        let parameter = CInt(truncatingIfNeeded: index &+ 1)
        if let integer = unsafe value.pointee.integer,
          layout.store(integer, in: handle, at: parameter)
        {
          continue
        }
        let code = bind(value, to: handle, at: parameter)
        guard code == SQLite.ok else { throw bindingFailure(code) }
      }
    }
    lacksArguments = false
  }

  @inline(never)
  @safe private func bind(
    _ argument: UnsafePointer<StatementArgument>, to handle: SQLiteStatement, at index: CInt
  ) -> CInt {
    switch unsafe argument.pointee.content {
    case .value(let value): value.bind(to: handle, at: index)
    case .array(let array): bind(array.storage, to: handle, at: index)
    }
  }

  /// Clears the bound values at the end of the access.
  ///
  /// They can be secret. Clearing them after each execution takes 4 % of an insertion.
  @inline(__always)
  package func clearBindingsAtEnd() {
    guard !isBound else { return }
    isBound = true
    withDatabase { $0.boundStatements.append(self) }
  }

  /// Clears the bound values, which can be secret.
  @usableFromInline
  package func clearBindings() {
    guard let handle else { return }
    core.pointee.use &+= 1
    if parameterCount > 0 { clearValues(handle) }
    if !boundArrays.isEmpty { releaseArrays() }
    forgetArguments()
  }

  @inline(__always)
  @safe private func clearValues(_ handle: SQLiteStatement) {
    if parameterCount == 1, core.pointee.parameters.storeNull(in: handle, at: 1) { return }
    SQLite.clearBindings(handle)
  }

  /// Clears the arguments: an execution without new ones throws.
  @inline(__always)
  func forgetArguments() {
    lacksArguments = parameterCount > 0
    if bindingError != nil { bindingError = nil }
    if regionOfArguments != nil { regionOfArguments = nil }
    if !boundArguments.isEmpty { boundArguments = StatementArguments() }
  }
}

extension Database {
  func clearBoundStatements() {
    for statement in boundStatements {
      statement.isBound = false
      statement.clearBindings()
    }
    boundStatements.removeAll(keepingCapacity: boundStatements.count < 8)
  }
}
