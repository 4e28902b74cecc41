import Coffer

/// The progress of a whole file, as a bar on a terminal and as nothing elsewhere.
struct FileProgress {
  private let bars: [DatabaseFile.Progress.Phase: ProgressBar]
  private var current: ProgressBar?
  private let isShown: Bool
  private let console: Console
  private var phase: DatabaseFile.Progress.Phase?

  init(_ console: Console) {
    isShown = console.redraws
    self.console = console
    bars = [
      .copying: ProgressBar("Writing", total: 1000, console: console),
      .verifying: ProgressBar("Checking", total: 1000, console: console),
    ]
  }

  /// Shows the progress; throws if Ctrl-C was pressed.
  mutating func show(_ progress: DatabaseFile.Progress) throws {
    try Interrupts.check()
    guard isShown else { return }
    if progress.phase != phase {
      phase = progress.phase
      current = bars[progress.phase]
    }
    current?.advance(to: Int(progress.fraction * 1000), note: "")
  }

  func finish() {
    if isShown { ProgressBar("", total: 1, console: console).finish() }
  }
}

extension Tool {
  /// `coffer encrypt`
  static func encrypt(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let (source, target) = (invocation.arguments[0], invocation.arguments[1])
    guard try !Opening(path: source, source: nil, cipher: nil).requireDatabase() else {
      throw ToolError(.dataError, "\(source) is encrypted already. Another key: coffer rekey")
    }
    try requireTarget(target, for: source)
    // The only key is that of the target, in either form.
    let first = try Opening(invocation, path: target)
    let second = try Opening(invocation, path: target, prefix: "new-")
    if first.source != nil, second.source != nil {
      throw ToolError(.usage, "encrypt has one key, that of \(target): leave one of the two out")
    }
    let opening = first.source != nil ? first : second
    let key = try opening.newKey()
    return try converting(source, console) { progress in
      try DatabaseFile.encrypt(
        at: source, to: target, key: key, cipher: second.cipher ?? first.cipher ?? .default,
        progress: progress)
    }
  }

  /// `coffer decrypt`
  static func decrypt(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let (source, target) = (invocation.arguments[0], invocation.arguments[1])
    let opening = try Opening(invocation, path: source)
    guard try opening.requireDatabase() else {
      throw ToolError(.dataError, "\(source) is not encrypted. Copy it with cp")
    }
    try requireTarget(target, for: source)
    try requireConsent(invocation, "\(target) will hold all data in plaintext.")
    return try opening.withKey { key in
      guard let key else { return 0 }
      return try converting(source, console) { progress in
        try DatabaseFile.decrypt(
          at: source, key: key, cipher: opening.cipher ?? .default, to: target, progress: progress)
      }
    }
  }

  /// `coffer convert`
  static func convert(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let (source, target) = (invocation.arguments[0], invocation.arguments[1])
    let opening = try Opening(invocation, path: source)
    let second = try Opening(invocation, path: target, prefix: "new-")
    guard try opening.requireDatabase() else {
      throw ToolError(.dataError, "\(source) is not encrypted. Use coffer encrypt")
    }
    try requireTarget(target, for: source)
    let newKey = try second.source?.read()
    return try opening.withKey { key in
      guard let key else { return 0 }
      let old = try opening.cipher ?? settings(of: source, key)
      return try converting(source, console) { progress in
        try DatabaseFile.convert(
          at: source, key: key, from: old, to: second.cipher ?? .default, newKey: newKey,
          newPath: target == source ? nil : target, progress: progress)
      }
    }
  }

  /// The settings with which a key opens a file.
  private static func settings(of path: String, _ key: DatabaseKey) throws -> CipherSettings {
    do {
      var configuration = Configuration()
      configuration.readonly = true
      let queue = try DatabaseQueue(path: path, key: key, configuration: configuration)
      _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
      try queue.close()
      return .default
    } catch let error as DatabaseError {
      guard case .olderFormat(let settings)? = error.cipherDiagnosis else { throw error }
      return settings
    }
  }

  private static func requireTarget(_ target: String, for source: String) throws {
    if target != source { try NewFile.require(target) }
  }

  private static func converting(
    _ source: String, _ console: Console,
    _ body: ((@escaping (DatabaseFile.Progress) throws -> Void)) throws -> Void
  ) throws -> CInt {
    var progress = FileProgress(console)
    defer { progress.finish() }
    try Interrupts.handled {
      do {
        try body { try progress.show($0) }
        Interrupts.ignore()
      } catch let error as DatabaseError where error.cipherDiagnosis != nil {
        throw error
      } catch {
        throw ToolError(error, path: source)
      }
    }
    return 0
  }

  /// `coffer rekey`
  static func rekey(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    let second = try Opening(invocation, path: path, prefix: "new-")
    guard try second.requireDatabase() else {
      throw ToolError(.dataError, "\(path) is not encrypted. Use coffer encrypt")
    }
    let queue = try Opening(invocation, path: path).open(readonly: false)
    var key = try second.newKey()
    if second.hasSlots {
      let slots = try KeySlots.open(forDatabaseAt: path).all
      if slots.count > 1 {
        try requireConsent(
          invocation,
          "\(path) will have one key slot; the \(Numbers.count(slots.count, "slot")) of now will be gone."
        )
      }
      key = .slots(unlocker: second.unlocker(key), label: slots.first?.label ?? "")
    }
    try ToolError.naming(path) {
      // SQLCipher can't be interrupted here: Ctrl-C waits for the end, which is a success. A second
      // one ends the tool, and the next opening of the file undoes the change.
      try Interrupts.handled {
        try queue.changeKey(to: key)
        Interrupts.ignore()
        try queue.close()
      }
    }
    return 0
  }

  /// `coffer backup`
  static func backup(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let target = invocation.arguments[1]
    let second = try Opening(invocation, path: target, prefix: "new-")
    try Opening(path: invocation.arguments[0], source: nil, cipher: nil).requireDatabase()
    try NewFile.require(target)
    let newKey = try second.source?.read()
    var bar = ProgressBar("Copying", total: 1000, console: console)
    try invocation.withDatabase { queue in
      try queue.backup(toPath: target, key: newKey) { progress in
        try Interrupts.check()
        guard console.redraws, progress.totalPageCount > 0 else { return }
        bar.advance(
          to: progress.completedPageCount * 1000 / progress.totalPageCount,
          note: Numbers.count(progress.completedPageCount, "page"))
      }
      Interrupts.ignore()
    }
    bar.finish()
    return 0
  }
}
