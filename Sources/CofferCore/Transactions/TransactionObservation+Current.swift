import Glibc

/// The thread-specific key of the observation that is notifying an observer on this thread.
private let key: pthread_key_t = {
  var key = pthread_key_t()
  pthread_key_create(&key, nil)
  return key
}()

extension TransactionObservation {
  static var current: TransactionObservation? {
    // SAFETY: set only for the duration of a call of the observation's own method.
    pthread_getspecific(key).map {
      Unmanaged<TransactionObservation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Makes an observation the current one of this thread.
  ///
  /// - Returns: The argument for `leave(to:)`.
  static func enter(_ observation: TransactionObservation) -> UnsafeMutableRawPointer? {
    let previous = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(observation).toOpaque())
    return previous
  }

  static func leave(to previous: UnsafeMutableRawPointer?) {
    pthread_setspecific(key, previous)
  }
}
