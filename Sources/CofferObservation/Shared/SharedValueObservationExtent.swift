/// The lifetime of a shared observation.
public enum SharedValueObservationExtent: Sendable, Hashable {
  /// From the first start until the ``SharedValueObservation`` is deallocated, or until an error.
  case observationLifetime
  /// As long as the observation has clients.
  case whileObserved
}
