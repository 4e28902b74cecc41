/// A first-in, first-out queue with a second, urgent line that is served first.
struct WaitingLine<Element> {
  private var urgent: [Element] = []
  private var others: [Element?] = []
  /// The index of the first remaining element of `others`.
  private var head = 0

  var isEmpty: Bool { urgent.isEmpty && head == others.count }
  var isFirstUrgent: Bool { !urgent.isEmpty }
  var first: Element? { urgent.first ?? (head < others.count ? others[head] : nil) }

  mutating func append(_ element: Element) { others.append(element) }

  /// - Parameter first: Whether the element is urgent.
  mutating func append(_ element: Element, first: Bool) {
    if first { urgent.append(element) } else { others.append(element) }
  }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    removeFirst()
    return first
  }

  mutating func removeFirst() {
    guard urgent.isEmpty else {
      urgent.removeFirst()
      return
    }
    others[head] = nil
    head += 1
    if head == others.count || head > 64 && head * 2 > others.count {
      others.removeFirst(head)
      head = 0
    }
  }
}
