/// Places boxes in layers from left to right, such that edges cross little.
///
/// Connected boxes are laid out together: layers by the longest path, once cycles are broken; then
/// the order in layers by sweeps of barycenters, of which the one with the fewest crossings is
/// kept; then places that are near the neighbors'. Groups stand side by side, up to a width.
/// - Complexity: for each group O(*n* log *n*) in its boxes and edges, times the number of sweeps;
///   an edge over more than 12 layers isn't led around boxes.
struct LayeredLayout {
  struct Size: Equatable {
    var width: Double
    var height: Double
  }

  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  /// The top left corner of each box.
  private(set) var origins: [Point]
  /// For each edge, the places between its boxes that it is led through, in its direction.
  private(set) var bends: [[Point]]
  private(set) var size = Size(width: 0, height: 0)
  /// How many pairs of edges cross between layers.
  private(set) var crossings = 0

  private static let gap = Size(width: 60, height: 24)
  private static let sweeps = 12
  private static let longestLedEdge = 12

  /// - Parameter edges: Pairs of boxes, in layers the first before the second. One from a box to
  ///   itself has no influence.
  init(sizes: [Size], edges: [(from: Int, to: Int)], width: Double = 1080) {
    origins = Array(repeating: Point(x: 0, y: 0), count: sizes.count)
    bends = Array(repeating: [], count: edges.count)
    let groups = Self.groups(count: sizes.count, edges: edges)
    var shelf = Size(width: 0, height: 0)
    var top = 0.0
    let widest = max(width, sizes.map(\.width).max() ?? 0)
    var placed = groups.map { Group(boxes: $0.boxes, edges: $0.edges, sizes: sizes, all: edges) }
    // Large groups first; of lone boxes those of one height together.
    placed.sort { ($0.boxes.count, $0.size.height) > ($1.boxes.count, $1.size.height) }
    for group in placed {
      if shelf.width > 0, shelf.width + group.size.width > widest {
        top += shelf.height + Self.gap.height * 1.5
        shelf = Size(width: 0, height: 0)
      }
      for (box, origin) in zip(group.boxes, group.origins) {
        origins[box] = Point(x: origin.x + shelf.width, y: origin.y + top)
      }
      for (edge, points) in zip(group.edges, group.bends) {
        bends[edge] = points.map { Point(x: $0.x + shelf.width, y: $0.y + top) }
      }
      crossings += group.crossings
      size.width = max(size.width, shelf.width + group.size.width)
      size.height = max(size.height, top + group.size.height)
      shelf.width += group.size.width + Self.gap.width / 2
      shelf.height = max(shelf.height, group.size.height)
    }
  }

  /// The connected boxes, with their edges.
  private static func groups(
    count: Int, edges: [(from: Int, to: Int)]
  ) -> [(boxes: [Int], edges: [Int])] {
    var parent = Array(0..<count)
    func root(_ box: Int) -> Int {
      var box = box
      while parent[box] != box {
        parent[box] = parent[parent[box]]
        box = parent[box]
      }
      return box
    }
    for edge in edges { parent[root(edge.from)] = root(edge.to) }
    var groups: [Int: (boxes: [Int], edges: [Int])] = [:]
    for box in 0..<count { groups[root(box), default: ([], [])].boxes.append(box) }
    for (index, edge) in edges.enumerated() where edge.from != edge.to {
      groups[root(edge.from)]?.edges.append(index)
    }
    return groups.values.sorted { $0.boxes[0] < $1.boxes[0] }
  }

  /// A box, or the place where an edge passes through a layer.
  private struct Node {
    var size: Size
    var layer: Int
    var before: [Int] = []
    var after: [Int] = []
  }

  /// The layout of boxes that are connected.
  private struct Group {
    let boxes: [Int]
    let edges: [Int]
    var origins: [Point] = []
    var bends: [[Point]] = []
    var size = Size(width: 0, height: 0)
    var crossings = 0
    private var nodes: [Node] = []
    /// The nodes of each layer, from top to bottom.
    private var layers: [[Int]] = []

    init(boxes: [Int], edges: [Int], sizes: [Size], all: [(from: Int, to: Int)]) {
      self.boxes = boxes
      self.edges = edges
      let local = Dictionary(uniqueKeysWithValues: zip(boxes, boxes.indices))
      let pairs = edges.map { (local[all[$0].from] ?? 0, local[all[$0].to] ?? 0) }
      let layer = Self.longestPaths(count: boxes.count, pairs: pairs)
      nodes = boxes.indices.map { Node(size: sizes[boxes[$0]], layer: layer[$0]) }
      let passages = pairs.map { pair in
        // An edge against the layers' direction, of a cycle, is led the other way round.
        let isForward = layer[pair.0] < layer[pair.1]
        let (first, last) = isForward ? pair : (pair.1, pair.0)
        return (nodes: connect(first, last), isForward: isForward)
      }
      layers = Array(repeating: [], count: (layer.max() ?? 0) + 1)
      for node in nodes.indices { layers[nodes[node].layer].append(node) }
      order()
      place(passages)
    }

    /// The layer of each box: one after the last of those that lead to it, without the edges that
    /// close cycles.
    private static func longestPaths(count: Int, pairs: [(Int, Int)]) -> [Int] {
      var targets = Array(repeating: [Int](), count: count)
      for pair in pairs { targets[pair.0].append(pair.1) }
      enum State { case new, open, done }
      var state = Array(repeating: State.new, count: count)
      var finished: [Int] = []
      var kept = Array(repeating: [Int](), count: count)
      // Those that nothing leads to are the best beginnings.
      let isTarget = Set(pairs.map(\.1))
      for start in (0..<count).filter({ !isTarget.contains($0) }) + Array(0..<count)
      where state[start] == .new {
        var path = [(box: start, next: 0)]
        state[start] = .open
        while let (box, next) = path.last {
          if next == targets[box].count {
            state[box] = .done
            finished.append(box)
            path.removeLast()
            continue
          }
          path[path.count - 1].next += 1
          let target = targets[box][next]
          if state[target] != .open { kept[box].append(target) }
          if state[target] == .new {
            state[target] = .open
            path.append((target, 0))
          }
        }
      }
      var layer = Array(repeating: 0, count: count)
      for box in finished.reversed() {
        for target in kept[box] { layer[target] = max(layer[target], layer[box] + 1) }
      }
      // A box moves toward those it leads to, which shortens edges.
      for box in finished where !kept[box].isEmpty {
        layer[box] = (kept[box].map { layer[$0] }.min() ?? 1) - 1
      }
      return layer
    }

    /// Connects two nodes through all layers between them, and returns the nodes there.
    private mutating func connect(_ first: Int, _ last: Int) -> [Int] {
      let between = nodes[first].layer + 1..<nodes[last].layer
      var passage: [Int] = []
      if between.count < LayeredLayout.longestLedEdge {
        for layer in between {
          passage.append(nodes.count)
          nodes.append(Node(size: Size(width: 0, height: 8), layer: layer))
        }
        for (node, next) in zip([first] + passage, passage + [last]) {
          nodes[node].after.append(next)
          nodes[next].before.append(node)
        }
      }
      return passage
    }

    // MARK: Order

    private mutating func order() {
      var best = layers
      crossings = countCrossings()
      for sweep in 0..<LayeredLayout.sweeps where crossings > 0 {
        var position = Array(repeating: 0.0, count: nodes.count)
        func keepPositions(of layer: [Int]) {
          for (index, node) in layer.enumerated() { position[node] = Double(index) }
        }
        layers.forEach(keepPositions)
        let isForward = sweep.isMultiple(of: 2)
        for layer in isForward ? Array(layers.indices) : layers.indices.reversed() {
          var keys: [Int: Double] = [:]
          for node in layers[layer] {
            let neighbors = isForward ? nodes[node].before : nodes[node].after
            keys[node] =
              neighbors.isEmpty
              ? position[node]
              : neighbors.reduce(0) { $0 + position[$1] } / Double(neighbors.count)
          }
          let places = Dictionary(uniqueKeysWithValues: zip(layers[layer], layers[layer].indices))
          layers[layer].sort {
            // Equal ones change places in every other pair of sweeps, to get out of dead ends.
            let isTurned = sweep % 4 > 1
            let (a, b) = (keys[$0] ?? 0, keys[$1] ?? 0)
            if a != b { return a < b }
            return ((places[$0] ?? 0) < (places[$1] ?? 0)) != isTurned
          }
          keepPositions(of: layers[layer])
        }
        let count = countCrossings()
        if count < crossings { (crossings, best) = (count, layers) }
      }
      layers = best
    }

    private func countCrossings() -> Int {
      var position = Array(repeating: 0, count: nodes.count)
      for layer in layers { for (index, node) in layer.enumerated() { position[node] = index } }
      var count = 0
      for layer in layers {
        // The ends of edges in order of their beginnings: each that is smaller than an earlier one
        // is a crossing.
        var ends: [Int] = []
        for node in layer {
          let own = nodes[node].after.map { position[$0] }.sorted()
          for end in own { count += ends.count - ends.partition(above: end) }
          for end in own { ends.insert(end, at: ends.partition(above: end)) }
        }
      }
      return count
    }

    // MARK: Places

    private mutating func place(_ passages: [(nodes: [Int], isForward: Bool)]) {
      var y = Array(repeating: 0.0, count: nodes.count)
      for layer in layers {
        for (node, offset) in zip(layer, offsets(layer)) { y[node] = offset }
      }
      for sweep in 0..<LayeredLayout.sweeps {
        let isForward = sweep.isMultiple(of: 2)
        for layer in isForward ? layers : layers.reversed() {
          settle(layer, isForward: isForward, &y)
        }
      }
      let top = nodes.indices.map { y[$0] }.min() ?? 0
      var x = Array(repeating: 0.0, count: layers.count)
      for (index, layer) in layers.enumerated() {
        let width = layer.map { nodes[$0].size.width }.max() ?? 0
        x[index] = size.width
        size.width += width + (index < layers.count - 1 ? LayeredLayout.gap.width : 0)
        for node in layer {
          nodes[node].size.width = max(nodes[node].size.width, node < boxes.count ? 0 : width)
        }
      }
      origins = boxes.indices.map { Point(x: x[nodes[$0].layer], y: y[$0] - top) }
      bends = passages.map { passage in
        let points = passage.nodes.flatMap { node in
          // Straight through the layer, beside its boxes.
          let middle = y[node] - top + nodes[node].size.height / 2
          let left = x[nodes[node].layer]
          return [Point(x: left, y: middle), Point(x: left + nodes[node].size.width, y: middle)]
        }
        return passage.isForward ? points : points.reversed()
      }
      size.height = nodes.indices.map { y[$0] - top + nodes[$0].size.height }.max() ?? 0
    }

    /// Where the nodes of a layer are if they stand close together.
    private func offsets(_ layer: [Int]) -> [Double] {
      var offset = 0.0
      return layer.map { node in
        defer { offset += nodes[node].size.height + LayeredLayout.gap.height }
        return offset
      }
    }

    /// Moves the nodes of a layer as near to the middle of their neighbors as their order allows:
    /// the places with the smallest squared distances, by pooling those that would overlap.
    private func settle(_ layer: [Int], isForward: Bool, _ y: inout [Double]) {
      var pools: [(mean: Double, count: Double)] = []
      let offsets = offsets(layer)
      for (node, offset) in zip(layer, offsets) {
        let near = isForward ? nodes[node].before : nodes[node].after
        let middles = near.map { y[$0] + nodes[$0].size.height / 2 }
        let wanted =
          middles.isEmpty
          ? y[node]
          : middles.reduce(0, +) / Double(middles.count) - nodes[node].size.height / 2
        pools.append((wanted - offset, 1))
        while pools.count > 1, pools[pools.count - 2].mean > pools[pools.count - 1].mean {
          let last = pools.removeLast()
          let previous = pools.removeLast()
          let count = previous.count + last.count
          pools.append(
            ((previous.mean * previous.count + last.mean * last.count) / count, count))
        }
      }
      var index = 0
      for pool in pools {
        for _ in 0..<Int(pool.count) {
          y[layer[index]] = pool.mean + offsets[index]
          index += 1
        }
      }
    }
  }
}

extension [Int] {
  /// The first index whose element is greater, in sorted elements.
  fileprivate func partition(above value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
