import CofferCore

// One initializer for each number of fields up to sixteen: the compiler specializes them down to
// calls of SQLite, which it doesn't do for loops over parameter packs. The initializer with a pack
// takes any number of fields, and produces the best error messages.

extension Mapping {
  /// Creates a mapping with 1 field.
  @inlinable
  public init<A, AC: FieldCoding<A>>(
    _ make: @escaping @Sendable (A) -> Record,
    _ a: Field<Record, A, AC>
  ) {
    self.init(a.alone) {
      make(try AC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 2 fields.
  @inlinable
  public init<A, AC: FieldCoding<A>, B, BC: FieldCoding<B>>(
    _ make: @escaping @Sendable (A, B) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>
  ) {
    self.init(a.and(b)) {
      make(try AC.read($0, at: &$1), try BC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 3 fields.
  @inlinable
  public init<A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>>(
    _ make: @escaping @Sendable (A, B, C) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>
  ) {
    self.init(a.and(b).and(c)) {
      make(try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 4 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>
  >(
    _ make: @escaping @Sendable (A, B, C, D) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>
  ) {
    self.init(a.and(b).and(c).and(d)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 5 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 6 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 7 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 8 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g).and(h)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 9 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 10 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 11 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>, K, KC: FieldCoding<K>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>, _ k: Field<Record, K, KC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j).and(k)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1), try KC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 12 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>, K, KC: FieldCoding<K>, L, LC: FieldCoding<L>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>, _ k: Field<Record, K, KC>, _ l: Field<Record, L, LC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j).and(k).and(l)) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1), try KC.read($0, at: &$1), try LC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 13 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>, K, KC: FieldCoding<K>, L, LC: FieldCoding<L>, M,
    MC: FieldCoding<M>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L, M) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>, _ k: Field<Record, K, KC>, _ l: Field<Record, L, LC>,
    _ m: Field<Record, M, MC>
  ) {
    self.init(a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j).and(k).and(l).and(m))
    {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1), try KC.read($0, at: &$1), try LC.read($0, at: &$1),
        try MC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 14 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>, K, KC: FieldCoding<K>, L, LC: FieldCoding<L>, M,
    MC: FieldCoding<M>, N, NC: FieldCoding<N>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L, M, N) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>, _ k: Field<Record, K, KC>, _ l: Field<Record, L, LC>,
    _ m: Field<Record, M, MC>, _ n: Field<Record, N, NC>
  ) {
    self.init(
      a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j).and(k).and(l).and(m).and(n)
    ) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1), try KC.read($0, at: &$1), try LC.read($0, at: &$1),
        try MC.read($0, at: &$1), try NC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 15 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>, K, KC: FieldCoding<K>, L, LC: FieldCoding<L>, M,
    MC: FieldCoding<M>, N, NC: FieldCoding<N>, O, OC: FieldCoding<O>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L, M, N, O) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>, _ k: Field<Record, K, KC>, _ l: Field<Record, L, LC>,
    _ m: Field<Record, M, MC>, _ n: Field<Record, N, NC>, _ o: Field<Record, O, OC>
  ) {
    self.init(
      a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j).and(k).and(l).and(m).and(n)
        .and(o)
    ) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1), try KC.read($0, at: &$1), try LC.read($0, at: &$1),
        try MC.read($0, at: &$1), try NC.read($0, at: &$1), try OC.read($0, at: &$1))
    }
  }

  /// Creates a mapping with 16 fields.
  @inlinable
  public init<
    A, AC: FieldCoding<A>, B, BC: FieldCoding<B>, C, CC: FieldCoding<C>, D, DC: FieldCoding<D>, E,
    EC: FieldCoding<E>, F, FC: FieldCoding<F>, G, GC: FieldCoding<G>, H, HC: FieldCoding<H>, I,
    IC: FieldCoding<I>, J, JC: FieldCoding<J>, K, KC: FieldCoding<K>, L, LC: FieldCoding<L>, M,
    MC: FieldCoding<M>, N, NC: FieldCoding<N>, O, OC: FieldCoding<O>, P, PC: FieldCoding<P>
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P) -> Record,
    _ a: Field<Record, A, AC>, _ b: Field<Record, B, BC>, _ c: Field<Record, C, CC>,
    _ d: Field<Record, D, DC>, _ e: Field<Record, E, EC>, _ f: Field<Record, F, FC>,
    _ g: Field<Record, G, GC>, _ h: Field<Record, H, HC>, _ i: Field<Record, I, IC>,
    _ j: Field<Record, J, JC>, _ k: Field<Record, K, KC>, _ l: Field<Record, L, LC>,
    _ m: Field<Record, M, MC>, _ n: Field<Record, N, NC>, _ o: Field<Record, O, OC>,
    _ p: Field<Record, P, PC>
  ) {
    self.init(
      a.and(b).and(c).and(d).and(e).and(f).and(g).and(h).and(i).and(j).and(k).and(l).and(m).and(n)
        .and(o).and(p)
    ) {
      make(
        try AC.read($0, at: &$1), try BC.read($0, at: &$1), try CC.read($0, at: &$1),
        try DC.read($0, at: &$1), try EC.read($0, at: &$1), try FC.read($0, at: &$1),
        try GC.read($0, at: &$1), try HC.read($0, at: &$1), try IC.read($0, at: &$1),
        try JC.read($0, at: &$1), try KC.read($0, at: &$1), try LC.read($0, at: &$1),
        try MC.read($0, at: &$1), try NC.read($0, at: &$1), try OC.read($0, at: &$1),
        try PC.read($0, at: &$1))
    }
  }
}
