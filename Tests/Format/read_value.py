#!/usr/bin/env python3
"""Reads an encrypted value of Coffer, as Docs/Format.md describes it.

    read_value.py VALUE [--key KEY [--table NAME --column NAME --row ROW...]]

VALUE and KEY are hexadecimal digits; a ROW is `integer:1`, `text:a` or
`blob:0a0b`. It prints the fields as JSON. With the key it checks the key's
identifier, with the place whether the value belongs there, and then decrypts it.
It needs nothing but Python's own library, which has no AES: the one below is
slow, and for reading only.
"""

import argparse
import hashlib
import hmac
import json
import struct
import sys


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def derive(key, purpose):
    """HKDF-SHA256 with an empty salt, 32 bytes."""
    purpose = b"Coffer encrypted value 1: " + purpose.encode()
    return mac(mac(b"", key), purpose + b"\x01")


def distinct(kind, value):
    if kind == "integer":
        return b"\x01" + struct.pack(">q", int(value))
    code, data = (b"\x03", value.encode()) if kind == "text" else (b"\x04", bytes.fromhex(value))
    return code + struct.pack(">Q", len(data)) + data


def place(table, column, row):
    names = [bytes(name.encode()).lower().decode() for name in (table, column)]
    return b"".join([distinct("text", name) for name in names]
                    + [distinct(*value.split(":", 1)) for value in row])


def double(x):
    return (x << 1) ^ (0x11B if x & 0x80 else 0)


def substitutions():
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= double(p)
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q = (q ^ 0x09 if q & 0x80 else q) & 0xFF
        box[p] = 0x63
        for turn in range(5):
            box[p] ^= (q << turn | q >> (8 - turn)) & 0xFF
        if p == 1:
            return box


BOX = substitutions()


def schedule(key):
    words, round_constant = [list(key[i:i + 4]) for i in range(0, 32, 4)], 1
    while len(words) < 60:
        word = words[-1]
        if len(words) % 8 == 0:
            word = [BOX[b] for b in word[1:] + word[:1]]
            word[0] ^= round_constant
            round_constant = double(round_constant)
        elif len(words) % 8 == 4:
            word = [BOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[-8], word)])
    return [sum(words[i:i + 4], []) for i in range(0, 60, 4)]


def aes(keys, block):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for key in keys[1:]:
        state = [BOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if key is not keys[-1]:
            mixed = []
            for i in range(0, 16, 4):
                c, total = state[i:i + 4], state[i] ^ state[i + 1] ^ state[i + 2] ^ state[i + 3]
                mixed += [c[j] ^ total ^ double(c[j] ^ c[(j + 1) % 4]) for j in range(4)]
            state = mixed
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def ghash(h, data):
    h, y = int.from_bytes(h, "big"), 0
    for i in range(0, len(data), 16):
        y ^= int.from_bytes(data[i:i + 16], "big")
        z, v = 0, h
        for bit in range(127, -1, -1):
            z ^= v if y >> bit & 1 else 0
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, "big")


def decrypt(key, nonce, context, sealed):
    keys, data, tag = schedule(key), sealed[:-16], sealed[-16:]
    pad = lambda x: x + bytes(-len(x) % 16)
    sizes = struct.pack(">QQ", 8 * len(context), 8 * len(data))
    code = ghash(aes(keys, bytes(16)), pad(context) + pad(data) + sizes)
    block = lambda n: aes(keys, nonce + struct.pack(">I", n))
    if not hmac.compare_digest(bytes(a ^ b for a, b in zip(code, block(1))), tag):
        sys.exit("the value is damaged")
    stream = b"".join(block(2 + i) for i in range((len(data) + 15) // 16))
    return bytes(a ^ b for a, b in zip(data, stream))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("value", type=bytes.fromhex)
    parser.add_argument("--key", type=bytes.fromhex)
    parser.add_argument("--table")
    parser.add_argument("--column")
    parser.add_argument("--row", action="append", default=[])
    options = parser.parse_args()
    value, key = options.value, options.key
    if value[:4] != b"CFEV":
        sys.exit("not an encrypted value")
    if value[4:5] != b"\x01":
        sys.exit("a version that isn't known")
    if len(value) < 50 or value[5] > 1:
        sys.exit("the value is damaged")
    fields = {
        "version": value[4], "content": ["json", "data"][value[5]], "keyID": value[6:14].hex(),
        "placeCheck": value[14:22].hex(), "nonce": value[22:34].hex(),
        "ciphertext": value[34:-16].hex(), "tag": value[-16:].hex(),
    }
    if key is not None and derive(key, "key id")[:8] != value[6:14]:
        sys.exit("sealed with another key")
    if key is not None and options.row:
        bound = place(options.table, options.column, options.row)
        if mac(derive(key, "place"), bound)[:8] != value[14:22]:
            sys.exit("sealed for another place")
        content = decrypt(derive(key, "encryption"), value[22:34], value[:22] + bound, value[34:])
        fields["value"] = json.loads(content)[0] if value[5] == 0 else content.hex()
    print(json.dumps(fields, sort_keys=True))


main()
