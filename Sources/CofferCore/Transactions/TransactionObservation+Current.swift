import Glibc

/// The thread-specific key of the observation that is notifying an observer on this thread.
private let key: pthread_key_t = {
  var key = pthread_key_t()
  unsafe pthread_key_create(&key, nil)
  return key
}()

extension TransactionObservation {
  static var current: TransactionObservation? {
    // SAFETY: set only for the duration of a call of the observation's own method.
    unsafe pthread_getspecific(key).map {
      unsafe Unmanaged<TransactionObservation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Makes an observation the current one of this thread.
  ///
  /// - Returns: The argument for `leave(to:)`.
  @safe static func enter(_ observation: TransactionObservation) -> UnsafeMutableRawPointer? {
    let previous = unsafe pthread_getspecific(key)
    unsafe pthread_setspecific(key, Unmanaged.passUnretained(observation).toOpaque())
    return unsafe previous
  }

  @safe static func leave(to previous: UnsafeMutableRawPointer?) {
    unsafe pthread_setspecific(key, previous)
  }
}
