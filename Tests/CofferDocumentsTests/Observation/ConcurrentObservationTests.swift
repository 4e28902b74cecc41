import CofferExpectations
import CofferTestSupport
import Dispatch
import Testing

@testable import Coffer

@Suite("Observed queries while threads write", .timeLimit(.minutes(15)))
struct ConcurrentObservationTests {
  private struct Entry: Codable, Identifiable, Sendable {
    var id: Int
    @Index var thread: Int
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the last value is that of the last commit, and no value goes back`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let encrypted = try EncryptedStore(kind)
    let entries = try encrypted.store.collection(Entry.self)
    let log = ValueLog<Int>()
    let total = 8 * 25
    let isDone = DispatchSemaphore(value: 0)
    let cancellable = entries.observeCount(
      scheduling: .async(onQueue: DispatchQueue(label: "coffer.tests.counts")),
      onError: log.fail
    ) { count in
      log.append(count)
      if count == total { isDone.signal() }
    }
    let group = DispatchGroup()
    for thread in 0..<8 {
      detachThread(group: group) {
        for number in 0..<25 {
          do {
            try entries.insert(Entry(id: thread * 1000 + number, thread: thread))
            _ = try entries.filter(\.thread, equalTo: thread).fetchCount()
          } catch { log.fail(error) }
        }
      }
    }
    group.wait()
    isDone.wait()
    #expect(log.errors.isEmpty)
    #expect(log.values == log.values.sorted())
    cancellable.cancel()
  }

  @Test func `a read that is cancelled leaves the observation alive`() async throws {
    let encrypted = try EncryptedStore(.pool)
    let entries = try await encrypted.store.collection(Entry.self)
    var counts = entries.valuesOfCount().makeAsyncIterator()
    #expect(try await counts.next() == 0)
    let task = Task { try await entries.insert(Entry(id: 1, thread: 0)) }
    task.cancel()
    _ = await task.result
    try await entries.insert(Entry(id: 2, thread: 0))
    var last = 0
    let expected = try await entries.all().fetchCount()
    while last < expected, let next = try await counts.next() { last = next }
    #expect(last == expected)
  }
}
