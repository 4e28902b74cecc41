#if compiler(>=6.2)
  extension Row {
    /// Calls `body` with the bytes of the text or blob in the 0-based column.
    ///
    /// It passes nil for NULL and numbers. Nothing is copied, and the compiler prevents the bytes
    /// from escaping `body`.
    @inlinable
    public func withSpan<Result>(
      at index: Int, _ body: (Span<UInt8>?) throws -> Result
    ) rethrows -> Result {
      try withUnsafeBytes(at: index) { bytes in
        guard let bytes = unsafe bytes else { return try body(nil) }
        return try unsafe body(bytes.bindMemory(to: UInt8.self).span)
      }
    }
  }
#endif
