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

  private static let waiting = WaitingObjects<RowDecoder>()

  /// The decoder of a record type that waits for rows with the columns of `row`.
  @usableFromInline
  static func take(_ record: ObjectIdentifier, _ row: Row) -> RowDecoder? {
    guard let decoder = waiting.take(record), let rows = decoder.waitsFor, rows.record == record,
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
    if let record = decoder.waitsFor?.record { waiting.put(decoder, record) }
  }
}
