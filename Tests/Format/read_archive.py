#!/usr/bin/env python3
"""Reads an archive, as Docs/Format.md describes it, with nothing but Python's standard library.

    read_archive.py FOLDER KEY-FILE [TARGET]

KEY-FILE has the database's raw key as 64 hexadecimal digits. Verifies the seals of all objects and
the chain of the segments, and prints what the archive has. Writes the database as of the last
commit to TARGET, a new file, with its pages as they are in the archive: encrypted. Exit code 1,
and the object's name, if something is wrong.
"""
import hmac
import os
import struct
import sys

HEADER = struct.Struct("<14sHB3sI16s")
PLACE = struct.Struct("<Q32sQ")
LAYER = "number level first last date pages parts bytes".split()
KINDS = {"manifest": 1, "log": 2, "layer": 3}


def need(condition, problem, name):
    if not condition:
        sys.exit(f"{name}: {problem}")


class Fields:
    """The fields of an object, one after the other."""

    def __init__(self, name, data):
        self.name, self.data, self.position = name, data, 0

    def take(self, form):
        form = form if isinstance(form, struct.Struct) else struct.Struct("<" + form)
        self.position += form.size
        need(self.position <= len(self.data), "damaged", self.name)
        return form.unpack_from(self.data, self.position - form.size)

    def frames(self, count, page_size):
        return [self.take(f"I{page_size}s") for _ in range(count)]

    def end(self):
        need(self.position == len(self.data), "damaged", self.name)


class Archive:
    def __init__(self, folder, key):
        self.folder, self.page_size, self.number = folder, None, None
        newest = max(self.names("manifest"), default="none")
        # Which key has sealed the manifest depends on the salt in it.
        salt = self.bytes(f"manifest/{newest}")[HEADER.size + 36:][:16]
        extracted = hmac.digest(salt, key, "sha256")
        self.seal_key = hmac.digest(extracted, b"coffer archive 1\x01", "sha256")
        fields, _ = self.object(f"manifest/{newest}")
        number, fence, writer, flags, salt = fields.take("QQ16sI16s")
        need(f"{number:016x}" == newest, "misplaced", fields.name)
        self.tip, self.log_start = fields.take(PLACE), fields.take(PLACE)
        self.gaps = [fields.take("Q")[0] for _ in range(fields.take("I")[0])]
        self.layers = [dict(zip(LAYER, fields.take("QIQQQIIQ")), place=fields.take(PLACE))
                       for _ in range(fields.take("I")[0])]
        slots = fields.take(f"{fields.take('I')[0]}s")[0]
        fields.end()
        print(f"archive {self.number.hex()}, pages of {self.page_size} bytes, salt {salt.hex()}")
        print(f"manifest {number}, fence {fence}, writer {writer.hex()}, "
              f"{'released' if flags & 1 else 'in use'}, {len(slots)} bytes of key slots")

    def names(self, kind):
        path = os.path.join(self.folder, kind)
        names = sorted(os.listdir(path)) if os.path.isdir(path) else []
        return [name for name in names if not name.endswith(".coffer-partial")]

    def bytes(self, name):
        path = os.path.join(self.folder, name)
        need(os.path.isfile(path), "missing", name)
        with open(path, "rb") as file:
            return file.read()

    def object(self, name):
        """The fields of an object behind its header, and its seal."""
        data = self.bytes(name)
        seal = hmac.digest(self.seal_key, data[:-32], "sha256")
        need(hmac.compare_digest(seal, data[-32:]), "damaged, or sealed with another key", name)
        fields = Fields(name, data[:-32])
        magic, version, kind, zeros, page_size, number = fields.take(HEADER)
        need(magic == b"Coffer archive" and zeros == bytes(3), "damaged", name)
        need(version == 1, f"version {version} isn't known", name)
        need(kind == KINDS[name.split("/")[0]], "misplaced", name)
        self.page_size, self.number = self.page_size or page_size, self.number or number
        need((page_size, number) == (self.page_size, self.number), "of another archive", name)
        return fields, seal

    def segment(self, sequence):
        """The commits: number, date, frames, pages of the database; and both seals."""
        fields, seal = self.object(f"log/{sequence:016x}")
        stored, _, previous, first, _, _, _, count = fields.take("QQ32sQ8s8sII")
        need(stored == sequence, "misplaced", fields.name)
        commits = []
        for index, (date, frames, pages) in enumerate([fields.take("QII") for _ in range(count)]):
            commits.append((first + index, date, fields.frames(frames, self.page_size), pages))
        fields.end()
        return commits, previous, seal

    def part(self, layer, index):
        fields, _ = self.object(f"layer/{layer['number']:016x}-{index:016x}")
        stored, place, count = fields.take("QII")
        need((stored, place) == (layer["number"], index), "misplaced", fields.name)
        damaged = [fields.take("I")[0] for _ in range(fields.take("I")[0])]
        if damaged:
            print(f"{fields.name}: pages {damaged} were damaged when they were archived")
        frames = fields.frames(count, self.page_size)
        fields.end()
        return frames

    def verify(self):
        """Reads all objects, and compares what follows what."""
        for kind in KINDS:
            for name in self.names(kind):
                self.object(f"{kind}/{name}")
        for layer in self.layers:
            for index in range(layer["parts"]):
                self.part(layer, index)
        stored = [int(name, 16) + 1 for name in self.names("log")]
        self.end = max(stored + [self.tip[0], self.log_start[0]])
        seals, expected = {self.log_start[0] - 1: self.log_start[1]}, None
        for sequence in range(self.log_start[0], self.end):
            name = f"log/{sequence:016x}"
            commits, previous, seals[sequence] = self.segment(sequence)
            need(previous == seals[sequence - 1], "doesn't follow the one before", name)
            for commit, _, _, pages in commits:
                need(expected in (None, commit) or commit - 1 in self.gaps, "a gap", name)
                # Without a number of pages, it goes on in the next segment.
                expected = commit + 1 if pages else commit
        for sequence, seal, _ in [self.tip] + [layer["place"] for layer in self.layers]:
            need(seals.get(sequence - 1, seal) == seal, "misplaced", f"log/{sequence - 1:016x}")
        print(f"{len(self.layers)} layers, segments {self.log_start[0]} to {self.end - 1}, "
              f"gaps {self.gaps}")

    def ways(self):
        """The layers that lead to a state, for each state that layers lead to."""
        ways = {}
        for layer in sorted(self.layers, key=lambda layer: (layer["last"], layer["first"])):
            before = [end for end in ways if layer["first"] - 1 <= end < layer["last"]]
            if layer["first"] == 0:
                ways[layer["last"]] = [layer]
            elif before:
                ways.setdefault(layer["last"], ways[max(before)] + [layer])
        return ways

    def restore(self, file):
        def write(frames):
            for page, content in frames:
                file.seek((page - 1) * self.page_size)
                file.write(content)

        ways = self.ways()
        need(ways, "nothing can be restored yet", "manifest")
        for layer in ways[max(ways)]:
            for index in range(layer["parts"]):
                write(self.part(layer, index))
        base = commit = layer["last"]
        date, page_count = layer["date"], layer["pages"]
        limit = min([gap for gap in self.gaps if gap > base], default=1 << 64)
        part = []  # of a commit that goes on in the next segment
        for sequence in range(layer["place"][0], self.end):
            for number, when, frames, pages in self.segment(sequence)[0]:
                part += frames if base < number < limit else []
                if pages and base < number < limit:
                    write(part)
                    commit, date, page_count, part = number, when, pages, []
        file.truncate(page_count * self.page_size)
        print(f"restored commit {commit} of {date} ms since 1970: {page_count} pages")


def main(folder, key_file, target=None):
    with open(key_file) as file:
        archive = Archive(folder, bytes.fromhex(file.read().strip()))
    archive.verify()
    if target:
        with open(target, "xb") as file:
            archive.restore(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
