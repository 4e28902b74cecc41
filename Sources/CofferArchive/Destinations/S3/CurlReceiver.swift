#if S3
  import CCurl
  import FoundationEssentials

  /// Gathers a reply's body.
  final class CurlReceiver {
    private(set) var bytes = Data()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Called by libcurl, with a receiver that the caller of the transfer keeps.
    static let receive: curl_write_callback = { bytes, size, count, target in
      guard let bytes = unsafe bytes, let target = unsafe target else { return 0 }
      // SAFETY: the target is what `CurlHandle` has passed, which it keeps until the transfer's
      // end; a handle is used by one thread.
      let receiver = unsafe Unmanaged<CurlReceiver>.fromOpaque(target).takeUnretainedValue()
      let length = size * count
      guard receiver.bytes.count + length <= receiver.limit else { return 0 }
      // SAFETY: libcurl passes as many bytes.
      unsafe receiver.bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: UnsafeRawPointer(bytes), count: length))
      return length
    }
  }
#endif
