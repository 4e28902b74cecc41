import Coffer

/// The record that the tests of mappings share.
enum MappedPlayers {
  struct Player: MappedRecord, Hashable {
    var id: Int64, name: String, score: Int?
    static let mapping = Mapping(
      Player.init(id:name:score:), Field("id", \.id), Field("name", \.name),
      Field("score", \.score))
  }
}
