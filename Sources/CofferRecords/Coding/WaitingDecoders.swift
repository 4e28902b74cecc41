import CofferCore

/// The idle decoders of copied rows: the last used decoder of some record types.
@usableFromInline
enum WaitingDecoders {
  /// The rows that a decoder can decode.
  struct Rows {
    let record: ObjectIdentifier
    let layout: RowLayout
    let adaptation: RowAdaptation?
  }

  private static let waiting = WaitingObjects<RowDecoder>()

  /// Takes the idle decoder of a record type for rows with the columns of `row`.
  @usableFromInline
  static func take(_ record: ObjectIdentifier, _ row: Row) -> RowDecoder? {
    guard let decoder = waiting.take(record), let rows = decoder.waitsFor, rows.record == record,
      rows.layout === row.baseLayout, rows.adaptation === row.adaptation
    else { return nil }
    return decoder
  }

  /// Sets the rows that a decoder can decode.
  @usableFromInline
  static func prepare(_ decoder: RowDecoder, _ record: ObjectIdentifier, _ row: Row) {
    decoder.waitsFor = Rows(record: record, layout: row.baseLayout, adaptation: row.adaptation)
  }

  /// Puts back a decoder that was taken or prepared.
  @usableFromInline
  static func put(_ decoder: RowDecoder) {
    if let record = decoder.waitsFor?.record { waiting.put(decoder, record) }
  }
}
