#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The observation that tells of a change on this thread.
private let key: pthread_key_t = {
  var key = pthread_key_t()
  pthread_key_create(&key, nil)
  return key
}()

extension TransactionObservation {
  static var current: TransactionObservation? {
    // SAFETY: set for the time of a call of the observation's own method.
    pthread_getspecific(key).map {
      Unmanaged<TransactionObservation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// - Returns: What `leave(to:)` takes.
  static func enter(_ observation: TransactionObservation) -> UnsafeMutableRawPointer? {
    let previous = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(observation).toOpaque())
    return previous
  }

  static func leave(to previous: UnsafeMutableRawPointer?) {
    pthread_setspecific(key, previous)
  }
}
