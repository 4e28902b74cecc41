#!/usr/bin/env python3
"""Reads what Docs/Format.md says about freshness, with nothing but Python's standard library.

    read_freshness.py DATABASE ANCHOR KEY-FILE [RESERVED-BYTES]

KEY-FILE has the raw key as 64 hexadecimal digits. The database is closed, so that its log is empty.
Prints the anchor's state and the records, and compares the root with the file. Exit code 1 if
something doesn't match.
"""
import hmac
import os
import struct
import sys

STATE = struct.Struct("<8sHHI16s16sQIIII8s16s16s32s32s")
FIELDS = ("magic version flags page_size salt identity counter commit log_commit page_count "
          "log_frames log_salts base pending root seal").split()
CHUNK, TAG, ENTRY, TABLE = 256, 16, 20, 4096


def code(key, message):
    return hmac.new(key, message, "sha256").digest()


def hkdf(key, salt, purpose):
    return code(code(salt, key), purpose.encode() + b"\x01")


def states(data, seal_key):
    """The states whose seal is right."""
    for start in range(0, len(data) - STATE.size + 1, STATE.size):
        block = data[start:start + STATE.size]
        state = dict(zip(FIELDS, STATE.unpack(block)))
        if state["magic"] != b"CofferFr":
            continue
        if state["version"] != 1:
            sys.exit(f"unknown version {state['version']}")
        if hmac.compare_digest(code(seal_key, block[:-32]), state["seal"]):
            yield state


def root(tags, root_key):
    """The root over the tags of all pages."""
    count = len(tags)
    digests = b""
    for chunk in range((count + CHUNK - 1) // CHUNK):
        message = b"\x00" + struct.pack("<I", chunk)
        digests += code(root_key, message + b"".join(tags[chunk * CHUNK:(chunk + 1) * CHUNK]))
    return code(root_key, b"\x01" + struct.pack("<I", count) + digests)


def file_tags(path, state, reserved):
    """The beginning of the stored HMAC of each page."""
    size, tags = state["page_size"], []
    lock_page = 0x40000000 // size + 1
    with open(path, "rb") as file:
        for page in range(1, state["page_count"] + 1):
            file.seek((page - 1) * size + size - reserved + 16)
            tag = b"" if page == lock_page else file.read(TAG)
            tags.append(tag.ljust(TAG, b"\x00"))
    return tags


def show(name, state):
    flags = [text for bit, text in ((1, "closed"), (2, "changes-key")) if state["flags"] & bit]
    print(name, "counter", state["counter"], "commit", state["commit"], "pages",
          state["page_count"], "frames", state["log_frames"], *flags)


def main(database, anchor, key_file, reserved="80"):
    with open(key_file) as file:
        key = bytes.fromhex(file.read().strip())
    with open(database, "rb") as file:
        salt = file.read(16)
    seal_key = hkdf(key, salt, "coffer freshness seal")
    root_key = hkdf(key, salt, "coffer freshness root")
    with open(anchor, "rb") as file:
        found = list(states(file.read(), seal_key))
    if not found:
        sys.exit("the anchor has no state with this key")
    state = found[0]
    show("anchor", state)
    with open(database + "-tags", "rb") as file:
        content = file.read()
    for place in (0, 1024):
        for record in list(states(content[place:place + 2 * STATE.size], seal_key))[:1]:
            show("record", record)
    table = content[TABLE:TABLE + ENTRY * state["page_count"]]
    tags = [table[start:start + TAG] for start in range(0, len(table), ENTRY)]
    matches = root(file_tags(database, state, int(reserved)), root_key) == state["root"]
    print("file", "matches" if matches else "differs")
    print("table", "matches" if root(tags, root_key) == state["root"] else "differs")
    return 0 if matches else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
