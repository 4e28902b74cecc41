# For the scripts that exchange files with other SQLCiphers, which read this file.

readonly root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What is fetched stays here.
readonly tools=$root/.build/interop
# The exit code if nothing can be had.
readonly unavailable=69
mkdir -p "$tools"

# The keys of Tests/Child/Interop.swift and Tests/Child/Matrix.swift.
readonly raw=c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf
readonly salt=a0a1a2a3a4a5a6a7a8a9aaabacadaeaf

# Builds CofferTestChild unless $child names one.
buildChild() {
  if [[ -n $child ]]; then return 0; fi
  swift build --package-path "$root" --product CofferTestChild
  child=$(swift build --package-path "$root" --show-bin-path)/CofferTestChild
}

# The Python package sqlcipher3-binary, in an environment of its own.
readonly pythonProgram=$tools/python/bin/python3

preparePython() {
  command -v python3 >/dev/null 2>&1 || return 1
  if [[ ! -x $pythonProgram ]]; then
    python3 -m venv "$tools/python" >/dev/null 2>&1 || return 1
  fi
  if ! "$pythonProgram" -c 'import sqlcipher3' 2>/dev/null; then
    "$pythonProgram" -m pip install --quiet --disable-pip-version-check \
      sqlcipher3-binary >/dev/null 2>&1 || return 1
  fi
  "$pythonProgram" -c 'import sqlcipher3' 2>/dev/null
}
