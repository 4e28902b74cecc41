import Dispatch
import Glibc
import Synchronization

/// What Ctrl-C does.
enum Interrupts {
  private struct State {
    /// The scope that is interrupted; 0 outside of all, where Ctrl-C ends the process.
    var scope = 0
    var handler: @Sendable () -> Void = {}
    var isRequested = false
    var requestTime = ContinuousClock.now
    /// Whether a second Ctrl-C ends the process.
    var endsTool = true
    /// Whether SIGTERM does what Ctrl-C does.
    var includesTermination = false
    /// What SIGHUP does, instead of ending the process; nil for that.
    var reload: (@Sendable () -> Void)?
  }

  private static let state = Mutex((current: State(), lastScope: 0, isDone: false))

  /// Whether Ctrl-C has been pressed in the current scope.
  static var isRequested: Bool { state.withLock(\.current.isRequested) }

  /// Calls `body`; once Ctrl-C is pressed meanwhile, calls `handler` until `body` ends.
  ///
  /// The handler is repeated, since a statement that hasn't begun can't be interrupted.
  /// - Parameters:
  ///   - endsTool: Whether a second Ctrl-C ends the process.
  ///   - inherits: Whether a Ctrl-C just before the call counts.
  ///   - passesOn: Whether a Ctrl-C that `body` hasn't noticed counts after the call.
  ///   - includesTermination: Whether SIGTERM, too, is a Ctrl-C.
  ///   - reload: Called for SIGHUP, which ends the process without it.
  static func handled<Result>(
    by handler: @escaping @Sendable () -> Void = {}, endsTool: Bool = true, inherits: Bool = false,
    passesOn: Bool = false, includesTermination: Bool = false,
    reload: (@Sendable () -> Void)? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    let previous = state.withLock { state in
      let previous = state.current
      state.lastScope += 1
      let isRequested = inherits && previous.isRequested
      if isRequested { repeatHandler(state.lastScope) }
      state.current = State(
        scope: state.lastScope, handler: handler, isRequested: isRequested, endsTool: endsTool,
        includesTermination: includesTermination, reload: reload)
      return previous
    }
    defer {
      state.withLock { state in
        let isUnnoticed = passesOn && state.current.isRequested
        state.current = previous
        if inherits { state.current.isRequested = false }
        if isUnnoticed { state.current.isRequested = true }
      }
    }
    return try body()
  }

  /// Returns whether Ctrl-C has been pressed, and forgets it.
  @discardableResult
  static func takeRequest() -> Bool {
    state.withLock { state in
      defer { state.current.isRequested = false }
      return state.current.isRequested
    }
  }

  /// Ignores all signals from now on: what was asked for is done, and must not end as interrupted.
  static func ignore() { state.withLock { $0.isDone = true } }

  /// Throws if Ctrl-C has been pressed.
  static func check() throws {
    if isRequested { throw ToolError(.interrupted, "interrupted; nothing was changed") }
  }

  /// Waits for input on a descriptor, in short pieces, since Ctrl-C arrives on another thread.
  ///
  /// - Returns: False if Ctrl-C came first.
  static func waitForInput(on descriptor: CInt) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let isReadable = poll(&wait, 1, 50) > 0
      collect()
      if isRequested { return false }
      if isReadable { return true }
    }
  }

  /// Called for a signal; returns false if the process is to end at once.
  static func deliver(_ number: CInt) -> Bool {
    state.withLock { state in
      if state.isDone { return true }
      if number == SIGHUP, let reload = state.current.reload {
        reload()
        return true
      }
      let isExpected =
        number == SIGINT || number == SIGTERM && state.current.includesTermination
      guard state.current.scope > 0, isExpected else { return false }
      guard !state.current.isRequested else {
        // Some programs send the signal to the process and to its group, at once.
        return !state.current.endsTool
          || ContinuousClock.now - state.current.requestTime < .milliseconds(500)
      }
      repeatHandler(state.current.scope)
      state.current.isRequested = true
      state.current.requestTime = .now
      return true
    }
  }

  private static func repeatHandler(_ scope: Int) {
    DispatchQueue.global(qos: .userInteractive).async {
      // Under the lock, so that it can't meet the statement of a later scope.
      while state.withLock({ state in
        guard state.current.scope == scope, state.current.isRequested else { return false }
        state.current.handler()
        return true
      }) {
        usleep(10_000)
      }
    }
  }
}
