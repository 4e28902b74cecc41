import CofferCore

/// Pages of a layer, as an object.
struct LayerPart {
  /// The number of the layer.
  var layer: UInt64
  /// The part's place in it, from 0.
  var index: Int
  /// Each a page's number, of 4 bytes, and the page as it is stored.
  var frames: ArraySlice<UInt8>

  /// Returns the object, without its seal.
  func bytes(_ header: ObjectHeader) -> [UInt8] {
    var bytes = header.bytes
    // With room for the seal.
    bytes.reserveCapacity(frames.count + 128)
    bytes.append(layer)
    bytes.append(UInt32(index))
    bytes.append(UInt32(frames.count / (header.pageSize + 4)))
    bytes += frames
    return bytes
  }

  init(layer: UInt64, index: Int, frames: ArraySlice<UInt8>) {
    (self.layer, self.index, self.frames) = (layer, index, frames)
  }

  /// Reads an object whose seal is right.
  init(_ bytes: [UInt8], name: String, in archive: ObjectHeader) throws(ArchiveError) {
    var reader = ByteReader(bytes)
    let header = try ObjectHeader(&reader, .part, name: name)
    guard header.archive == archive.archive else { throw .otherArchive(name) }
    guard header.pageSize == archive.pageSize, let layer = reader.uint64(),
      let index = reader.uint32(), let count = reader.uint32(),
      let frames = reader.range(Int(count) * (header.pageSize + 4)),
      reader.range(ArchiveSeal.size) != nil, reader.isAtEnd
    else { throw .damaged(name) }
    self.init(layer: layer, index: Int(index), frames: bytes[frames])
  }
}
