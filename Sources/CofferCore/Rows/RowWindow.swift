/// A run of a statement's columns, as an adapter shows them: what a row reads from that shows
/// one, each time that the statement steps.
///
/// It lives in memory of its own, like the ``StatementCore`` that it refers to.
///
/// - Invariant: The core's statement is kept alive by the row that has the window.
@usableFromInline
package struct RowWindow {
  @usableFromInline package let core: UnsafeMutablePointer<StatementCore>
  /// The statement's column that is the first of the run.
  @usableFromInline package let firstColumn: Int
  @usableFromInline package let count: Int
  @usableFromInline var predictor = ColumnPredictor()

  init(_ core: UnsafeMutablePointer<StatementCore>, firstColumn: Int, count: Int) {
    self.core = core
    self.firstColumn = firstColumn
    self.count = count
  }
}

/// What few rows have: those that an adapter changes, and those with rows fetched along.
@usableFromInline
final class RowExtras {
  /// What an adapter shows.
  let adaptation: RowAdaptation?
  /// The columns, where they are a run of those of a statement.
  @usableFromInline let window: UnsafeMutablePointer<RowWindow>?
  /// The names of the columns, where they are a run of those of a copied row, and the first of
  /// them.
  @usableFromInline let names: RowLayout.Names?
  @usableFromInline let firstColumn: Int
  @exclusivity(unchecked) var prefetched: PrefetchedRows? {
    // Scopes have their part of it.
    didSet { scopes = [] }
  }
  /// The scopes that were asked for, of the row of a statement.
  @exclusivity(unchecked) var scopes: [Row?] = []

  init(
    _ adaptation: RowAdaptation?, _ prefetched: PrefetchedRows? = nil,
    live core: UnsafeMutablePointer<StatementCore>?
  ) {
    self.adaptation = adaptation
    self.prefetched = prefetched
    guard let adaptation, let firstColumn = adaptation.firstColumn else {
      (window, names, firstColumn) = (nil, nil, 0)
      return
    }
    self.firstColumn = firstColumn
    if let core {
      names = nil
      let window = UnsafeMutablePointer<RowWindow>.allocate(capacity: 1)
      window.initialize(
        to: RowWindow(core, firstColumn: firstColumn, count: adaptation.layout.count))
      self.window = window
    } else {
      names = adaptation.layout.names
      window = nil
    }
  }

  deinit {
    guard let window else { return }
    window.pointee.predictor.reset()
    window.deinitialize(count: 1)
    window.deallocate()
  }
}

extension Row {
  /// The run of a statement's columns that the row shows through an adapter; nil for a copy, for
  /// a row without adapter (see ``live``), and where the columns are no run.
  @inlinable
  package var window: UnsafeMutablePointer<RowWindow>? { extras?.window }

  /// The value of the column, where it can be read without ``DatabaseValue``: from a statement
  /// through a window, or from a copy. Nil where it can't, or fails.
  @inlinable @inline(never)
  func adaptedOrCopiedValue<Value: DatabaseValueConvertible>(named name: String) -> Value? {
    if let window {
      guard let handle = window.pointee.core.pointee.handle,
        let index = window.pointee.predictor.predictedIndex(of: name)
      else { return nil }
      let column = window.pointee.firstColumn &+ index
      return Value._value(of: handle, at: CInt(truncatingIfNeeded: column))
    }
    guard let image else { return nil }
    guard let extras else {
      guard let index = image.names.index(of: name) else { return nil }
      return image.value(index)
    }
    return adaptedValue(extras, image, named: name)
  }

  @inlinable @inline(never)
  func adaptedValue<Value: DatabaseValueConvertible>(
    _ extras: RowExtras, _ image: RowImage, named name: String
  ) -> Value? {
    if let names = extras.names {
      guard let index = names.index(of: name) else { return nil }
      return image.value(extras.firstColumn &+ index)
    }
    guard !isAdapted, let index = image.names.index(of: name) else { return nil }
    return image.value(index)
  }

  /// The same by 0-based index.
  @inlinable @inline(never)
  func adaptedOrCopiedValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
    if let window {
      guard UInt(bitPattern: index) < UInt(bitPattern: window.pointee.count),
        let handle = window.pointee.core.pointee.handle
      else { return nil }
      let column = window.pointee.firstColumn &+ index
      return Value._value(of: handle, at: CInt(truncatingIfNeeded: column))
    }
    guard let image, extras == nil || !isAdapted,
      UInt(bitPattern: index) < UInt(bitPattern: image.names.count)
    else { return nil }
    return image.value(index)
  }

  @usableFromInline var isAdapted: Bool { adaptation != nil }
}
