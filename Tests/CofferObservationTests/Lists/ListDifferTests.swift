import Coffer
import CofferExpectations
import Dispatch
import Testing

@testable import CofferObservation

private func list(_ names: String...) -> FetchedList {
  FetchedList(rows: names.map { ListRow(row: Row(["name": $0])) })
}

@Suite("The order of batches")
struct ListDifferTests {
  private func differ(_ names: AsyncStream<String>.Continuation) -> ListDiffer<Name> {
    let empty = ListState<Name>(
      FetchedList(), sections: ListSections(count: 0), identity: .contents, sectionName: nil)
    return ListDiffer(empty, queue: DispatchQueue(label: "differ")) { _, result in
      switch result {
      case .success(let batch):
        let new = batch.changes.insertions.compactMap { batch.fresh[$0]?.name }
        names.yield("+" + new.joined() + " -\(batch.changes.deletions.count)")
      case .failure: names.yield("failure")
      }
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `lists are compared in their order, however they arrive`() async {
    let (stream, events) = AsyncStream<String>.makeStream()
    let differ = differ(events)
    differ.submit(.success(list("a", "b", "c")), number: 2)
    differ.submit(.failure(TestError()), number: 3)
    differ.submit(.success(list("a", "b")), number: 1)
    differ.submit(.success(list("a")), number: 0)
    var iterator = stream.makeAsyncIterator()
    var told: [String?] = []
    for _ in 0..<4 { told.append(await iterator.next()) }
    #expect(told == ["+a -0", "+b -0", "+c -0", "failure"])
  }

  @Test(.timeLimit(.minutes(15)))
  func `of many lists that wait the last one is compared, and no error is lost`() async {
    let (stream, events) = AsyncStream<String>.makeStream()
    let differ = differ(events)
    for number in 1..<20 { differ.submit(.success(list("\(number)")), number: number) }
    differ.submit(.failure(TestError()), number: 20)
    differ.submit(.success(list("0")), number: 0)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == "+19 -0")
    #expect(await iterator.next() == "failure")
  }

  @Test(.timeLimit(.minutes(15)))
  func `a first list is compared at once, and those that came earlier after it`() async throws {
    let (stream, events) = AsyncStream<String>.makeStream()
    let differ = differ(events)
    differ.submit(.success(list("a", "b")), number: 1)
    let batch = try differ.start(with: list("a"))
    #expect(batch.fresh == [0: Name(name: "a")])
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == "+b -0")
  }

  @Test(.timeLimit(.minutes(15)))
  func `a list that can't be made of rows is an error, and the next one is compared`() async {
    let (stream, events) = AsyncStream<String>.makeStream()
    let differ = differ(events)
    let row = Row(["nothing": 1])
    differ.submit(.success(list("a")), number: 0)
    differ.submit(.success(FetchedList(rows: [ListRow(row: row)])), number: 1)
    differ.submit(.success(list("b", "a")), number: 2)
    var iterator = stream.makeAsyncIterator()
    var told: [String?] = []
    for _ in 0..<3 { told.append(await iterator.next()) }
    #expect(told == ["+a -0", "failure", "+b -0"])
  }

  @Test(.timeLimit(.minutes(15)))
  func `nothing is delivered once it is cancelled`() async throws {
    let (stream, events) = AsyncStream<String>.makeStream()
    let differ = differ(events)
    differ.cancel()
    differ.submit(.success(list("a")), number: 0)
    // It comes after the submitted lists.
    _ = try differ.start(with: list("b"))
    events.finish()
    #expect(await stream.reduce(0) { count, _ in count + 1 } == 0)
  }
}
