/// A type that is stored like the value that it wraps.
package protocol ColumnWrapping: Encodable {
  associatedtype Value: Encodable
  var wrappedValue: Value { get }
}

/// Writes the wrapped value.
private final class WrappingColumnWriter<Wrapper: ColumnWrapping>: ColumnWriter<Wrapper> {
  private let writer: ColumnWriter<Wrapper.Value>

  init(_ writer: ColumnWriter<Wrapper.Value>) { self.writer = writer }

  override func write(
    _ value: Wrapper, _ column: EncodedColumn, _ writing: RecordWriting
  ) throws {
    try writer.write(value.wrappedValue, column, writing)
  }
}

extension ColumnWrapping {
  static func columnWriter(column: String, _ record: any EncodableRecord.Type) -> KeptObject {
    KeptObject(
      WrappingColumnWriter<Self>(ColumnWriters.writer(Value.self, column: column, record)))
  }
}
