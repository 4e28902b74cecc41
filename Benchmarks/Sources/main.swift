import Coffer

print("Benchmarks")
