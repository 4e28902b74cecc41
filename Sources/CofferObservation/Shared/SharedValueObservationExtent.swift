/// How long a shared observation lasts.
public enum SharedValueObservationExtent: Sendable, Hashable {
  /// From the first start to the death of the ``SharedValueObservation``, or to an error.
  case observationLifetime
  /// As long as somebody observes.
  case whileObserved
}
