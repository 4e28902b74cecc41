import CSQLCipher
import Synchronization

/// SQLite's error log, which is that of the whole process.
///
/// <https://sqlite.org/errlog.html>
package enum ErrorLog {
  package typealias Function = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

  /// The function that receives the messages.
  package static var function: Function? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  private static let current = Mutex<Function?>(nil)

  /// Writes a message of the library.
  package static func write(_ resultCode: ResultCode, _ message: @autoclosure () -> String) {
    function?(resultCode, message())
  }

  /// Whether SQLite writes to the log, for the whole process; installs that on first use.
  ///
  /// SQLite only accepts a log before its own first use.
  static let isInstalled: Bool = unsafe coffer_config_log(log) == SQLITE_OK
}

private func log(
  context: UnsafeMutableRawPointer?, code: CInt, message: UnsafePointer<CChar>?
) {
  guard let message = unsafe message, let write = ErrorLog.function else { return }
  let code = ResultCode(rawValue: code)
  unsafe write(code, SQLString.redactedMessage(String(cString: message), code: code))
}
