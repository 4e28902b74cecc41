#if compiler(>=6.2)
  extension Row {
    /// Lends the bytes of the 0-based column, a text or a blob, to `body`; nil
    /// for NULL and for numbers.
    ///
    /// Nothing is copied, and the compiler keeps the bytes from leaving `body`.
    @inlinable
    public func withSpan<Result>(
      at index: Int, _ body: (Span<UInt8>?) throws -> Result
    ) rethrows -> Result {
      try withUnsafeBytes(at: index) { bytes in
        guard let bytes else { return try body(nil) }
        return try body(bytes.bindMemory(to: UInt8.self).span)
      }
    }
  }
#endif
