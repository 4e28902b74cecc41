import CofferTestSupport
import Testing

@testable import CofferObservation

/// Rows of an observed list that are found by their rowids.
struct RowPlacesTests {
  @Test func `rows are where a search finds them, however many came and went`() {
    var random = SeededGenerator()
    let ids =
      [Int64.min, -1, 0, .max]
      + (0..<500).map { _ in Int64.random(in: -2_000...2_000, using: &random) }
    var list = ContiguousArray(Set(ids).shuffled(using: &random))
    var places = RowPlaces(of: list)
    var wasWornOut = false
    for _ in 0..<6_000 {
      let id = Int64.random(in: -2_000...2_000, using: &random)
      if let place = list.firstIndex(of: id) {
        list.remove(at: place)
        places.noteRemoval()
      }
      // A row that is removed can come again, anywhere.
      if list.count < 400 || Bool.random(using: &random) {
        let place = Int.random(in: 0...list.count, using: &random)
        list.insert(id, at: place)
        places.noteInsertion(of: id, at: place)
      }
      for _ in 0..<3 {
        let wanted = Int64.random(in: -2_000...2_000, using: &random)
        #expect(places.place(of: wanted, in: list) == list.firstIndex(of: wanted))
      }
      if places.isWornOut {
        wasWornOut = true
        places = RowPlaces(of: list)
      }
    }
    #expect(wasWornOut)
    for id in [Int64.min, -1, 0, .max] {
      #expect(places.place(of: id, in: list) == list.firstIndex(of: id))
    }
  }

  @Test func `an empty list has no rows`() {
    let places = RowPlaces(of: [])
    #expect(places.place(of: 1, in: []) == nil)
  }
}
