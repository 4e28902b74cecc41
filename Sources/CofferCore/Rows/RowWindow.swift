/// A contiguous run of a statement's columns, as an adapter shows them.
///
/// Rows read from it at each step of the statement. It is allocated separately, like the
/// ``StatementCore`` that it refers to.
///
/// - Invariant: The row that has the window keeps the core's statement alive.
@usableFromInline
@safe package struct RowWindow {
  @safe @usableFromInline package let core: UnsafeMutablePointer<StatementCore>
  /// The index of the run's first column in the statement.
  @usableFromInline package let firstColumn: Int
  @usableFromInline package let count: Int
  @usableFromInline var predictor = ColumnPredictor()

  @safe init(_ core: UnsafeMutablePointer<StatementCore>, firstColumn: Int, count: Int) {
    self.core = unsafe core
    self.firstColumn = firstColumn
    self.count = count
  }
}

/// The rarely needed fields of a row: for an adapter, and for prefetched rows.
@usableFromInline
@safe final class RowExtras {
  /// The columns and scopes that an adapter shows.
  let adaptation: RowAdaptation?
  /// The columns, if they are a contiguous run of a statement's.
  @safe @usableFromInline let window: UnsafeMutablePointer<RowWindow>?
  /// The names of the columns, if they are contiguous in a copied row, from ``firstColumn`` on.
  @usableFromInline let names: RowLayout.Names?
  @usableFromInline let firstColumn: Int
  @exclusivity(unchecked) var prefetched: PrefetchedRows? {
    // The scopes hold parts of the prefetched rows.
    didSet { scopes = [] }
  }
  /// The scopes of a statement's row that were accessed.
  @safe @exclusivity(unchecked) var scopes: [Row?] = []

  @safe init(
    _ adaptation: RowAdaptation?, _ prefetched: PrefetchedRows? = nil,
    live core: UnsafeMutablePointer<StatementCore>?
  ) {
    self.adaptation = adaptation
    unsafe self.prefetched = prefetched
    guard let adaptation, let firstColumn = adaptation.firstColumn else {
      (window, names, firstColumn) = (nil, nil, 0)
      return
    }
    self.firstColumn = firstColumn
    if let core = unsafe core {
      names = nil
      let window = UnsafeMutablePointer<RowWindow>.allocate(capacity: 1)
      unsafe window.initialize(
        to: RowWindow(core, firstColumn: firstColumn, count: adaptation.layout.count))
      self.window = unsafe window
    } else {
      names = adaptation.layout.names
      window = nil
    }
  }

  deinit {
    guard let window else { return }
    unsafe window.pointee.predictor.reset()
    unsafe window.deinitialize(count: 1)
    unsafe window.deallocate()
  }
}

extension Row {
  /// The run of a statement's columns that the row shows through an adapter.
  ///
  /// Nil for a copy, for a row without an adapter (see ``live``), and if the columns are not
  /// contiguous.
  @inlinable
  @safe package var window: UnsafeMutablePointer<RowWindow>? { extras?.window }

  /// Returns the value of the column, read without a ``DatabaseValue``.
  ///
  /// It is read from a statement through a window, or from a copy. Nil if that is impossible or
  /// fails.
  @inlinable @inline(never)
  func adaptedOrCopiedValue<Value: DatabaseValueConvertible>(named name: String) -> Value? {
    if let window {
      guard let handle = unsafe window.pointee.core.pointee.handle,
        let index = unsafe window.pointee.predictor.predictedIndex(of: name)
      else { return nil }
      let column = unsafe window.pointee.firstColumn &+ index
      if let value = unsafe window.pointee.core.pointee.direct(Value.self, at: column) {
        return value
      }
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

  /// Returns the value of the 0-based column, read without a ``DatabaseValue``.
  ///
  /// Nil if that is impossible or fails.
  @inlinable @inline(never)
  func adaptedOrCopiedValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
    if let window {
      guard unsafe UInt(bitPattern: index) < UInt(bitPattern: window.pointee.count),
        let handle = unsafe window.pointee.core.pointee.handle
      else { return nil }
      let column = unsafe window.pointee.firstColumn &+ index
      if let value = unsafe window.pointee.core.pointee.direct(Value.self, at: column) {
        return value
      }
      return Value._value(of: handle, at: CInt(truncatingIfNeeded: column))
    }
    guard let image, extras == nil || !isAdapted,
      UInt(bitPattern: index) < UInt(bitPattern: image.names.count)
    else { return nil }
    return image.value(index)
  }

  @usableFromInline var isAdapted: Bool { adaptation != nil }
}
