import CofferCore

/// Pages of a layer, as an object.
struct LayerPart {
  /// The number of the layer.
  var layer: UInt64
  /// The part's place in it, from 0.
  var index: Int
  /// The pages that weren't authentic when they were copied.
  var damagedPages: [Int] = []
  /// Each a page's number, of 4 bytes, and the page as it is stored.
  var frames: ArraySlice<UInt8>

  /// Returns the object, without its seal.
  func bytes(_ header: ObjectHeader) -> [UInt8] {
    var bytes = header.bytes
    // With room for the seal.
    bytes.reserveCapacity(frames.count + 128 + 4 * damagedPages.count)
    bytes.append(layer)
    bytes.append(UInt32(index))
    bytes.append(UInt32(frames.count / (header.pageSize + 4)))
    bytes.append(UInt32(damagedPages.count))
    for page in damagedPages { bytes.append(UInt32(page)) }
    bytes += frames
    return bytes
  }

  init(layer: UInt64, index: Int, damagedPages: [Int] = [], frames: ArraySlice<UInt8>) {
    (self.layer, self.index, self.damagedPages) = (layer, index, damagedPages)
    self.frames = frames
  }

  /// Reads an object whose seal is right.
  init(_ bytes: [UInt8], name: String, in archive: ObjectHeader) throws(ArchiveError) {
    var reader = ByteReader(bytes)
    let header = try ObjectHeader(&reader, .part, name: name)
    guard header.archive == archive.archive else { throw .otherArchive(name) }
    guard header.pageSize == archive.pageSize, let layer = reader.uint64(),
      let index = reader.uint32(), let count = reader.uint32(),
      let damagedCount = reader.uint32(), damagedCount <= count
    else { throw .damaged(name) }
    let damagedPages = (0..<damagedCount).compactMap { _ in reader.uint32().map(Int.init) }
    guard damagedPages.count == Int(damagedCount), !damagedPages.contains(0),
      let frames = reader.range(Int(count) * (header.pageSize + 4)),
      reader.range(ArchiveSeal.size) != nil, reader.isAtEnd
    else { throw .damaged(name) }
    self.init(
      layer: layer, index: Int(index), damagedPages: damagedPages, frames: bytes[frames])
  }
}
