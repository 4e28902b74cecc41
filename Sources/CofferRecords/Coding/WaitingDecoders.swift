import CofferCore

/// The decoders of copied rows that nobody uses: the last one of some record types.
@usableFromInline
enum WaitingDecoders {
  /// The rows that a decoder is for.
  struct Rows {
    let record: ObjectIdentifier
    let layout: RowLayout
    let adaptation: RowAdaptation?
  }

  /// The decoders, retained; 0 for none. One is used by the thread that has exchanged it.
  private static let slots = TypeSlots()

  private static func exchange(_ record: ObjectIdentifier, _ word: UInt) -> RowDecoder? {
    guard let decoder = UnsafeRawPointer(bitPattern: slots.exchange(word, record)) else {
      return nil
    }
    // SAFETY: `put` has retained it.
    return Unmanaged<RowDecoder>.fromOpaque(decoder).takeRetainedValue()
  }

  /// The decoder of a record type that waits for rows with the columns of `row`.
  @usableFromInline
  static func take(_ record: ObjectIdentifier, _ row: Row) -> RowDecoder? {
    guard let decoder = exchange(record, 0), let rows = decoder.waitsFor, rows.record == record,
      rows.layout === row.baseLayout, rows.adaptation === row.adaptation
    else { return nil }
    return decoder
  }

  /// Notes which rows a decoder is for.
  @usableFromInline
  static func prepare(_ decoder: RowDecoder, _ record: ObjectIdentifier, _ row: Row) {
    decoder.waitsFor = Rows(record: record, layout: row.baseLayout, adaptation: row.adaptation)
  }

  /// Lets a decoder wait that was taken, or prepared.
  @usableFromInline
  static func put(_ decoder: RowDecoder) {
    guard let record = decoder.waitsFor?.record else { return }
    let word = UInt(bitPattern: Unmanaged.passRetained(decoder).toOpaque())
    _ = exchange(record, word)
  }
}
