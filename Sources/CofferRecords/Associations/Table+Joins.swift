import CofferQuery

// Requests for all rows of a table, joined with others.

extension Table {
  /// A request with all rows that an association leads to, fetched by a query of their own.
  public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<
    RowDecoder
  >
  where A.OriginRowDecoder == RowDecoder { all().including(all: association) }

  /// A request with the row that an association leads to, or with NULLs where there is none.
  public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<
    RowDecoder
  >
  where A.OriginRowDecoder == RowDecoder { all().including(optional: association) }

  /// A request with the row that an association leads to, without rows that have none.
  public func including<A: Association>(required association: A) -> QueryInterfaceRequest<
    RowDecoder
  >
  where A.OriginRowDecoder == RowDecoder { all().including(required: association) }

  /// A request joined with what an association leads to, of which nothing is selected.
  public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().joining(optional: association) }

  /// A request without rows that the association leads nowhere from.
  public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().joining(required: association) }

  /// A request with the columns of an association's row beside its own, or with NULLs.
  public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<
    RowDecoder
  >
  where A.OriginRowDecoder == RowDecoder { all().annotated(withOptional: association) }

  /// A request with the columns of an association's row beside its own.
  public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<
    RowDecoder
  >
  where A.OriginRowDecoder == RowDecoder { all().annotated(withRequired: association) }
}
