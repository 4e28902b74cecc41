#!/usr/bin/env python3
"""Reads the key slots of a Coffer database, as Docs/Format.md describes them.

Usage: read_keys.py DATABASE-keys [--passphrase TEXT | --recovery-key TEXT | --raw HEX]

Python's own library has no AES-GCM and no Argon2: both come from libcrypto and libargon2.
"""
import argparse, ctypes, ctypes.util, datetime, hashlib, hmac, struct, sys

KINDS = ["?", "passphrase", "recovery-key", "file", "file-descriptor", "credential",
         "kernel-keyring", "provider"]
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def aes_gcm(encrypts, key, nonce, context, data):
    """Returns ciphertext and tag, or the plaintext; None if the tag is wrong."""
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
    crypto.EVP_CIPHER_CTX_new.restype = crypto.EVP_aes_256_gcm.restype = ctypes.c_void_p
    state, count = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new()), ctypes.c_int()
    body, tag = (data, bytes(16)) if encrypts else (data[:-16], data[-16:])
    out, tag = ctypes.create_string_buffer(len(body) + 16), ctypes.create_string_buffer(tag, 16)
    algorithm = ctypes.c_void_p(crypto.EVP_aes_256_gcm())
    crypto.EVP_CipherInit_ex(state, algorithm, None, key, nonce, int(encrypts))
    crypto.EVP_CipherUpdate(state, None, ctypes.byref(count), context, len(context))
    crypto.EVP_CipherUpdate(state, out, ctypes.byref(count), body, len(body))
    if not encrypts:
        crypto.EVP_CIPHER_CTX_ctrl(state, 0x11, 16, tag)
    done = crypto.EVP_CipherFinal_ex(state, ctypes.create_string_buffer(16), ctypes.byref(count))
    if encrypts:
        crypto.EVP_CIPHER_CTX_ctrl(state, 0x10, 16, tag)
    crypto.EVP_CIPHER_CTX_free(state)
    return None if done != 1 else out.raw[:len(body)] + (tag.raw if encrypts else b"")


def hkdf(key, salt, purpose):
    """HKDF-SHA256 (RFC 5869), 32 bytes."""
    extracted = hmac.digest(salt, key, "sha256")
    return hmac.digest(extracted, purpose + b"\x01", "sha256")


def slot_key(secret, guessable, derivation, first, second, salt):
    """The key that seals a slot; None if the secret is of the other sort."""
    if guessable != (derivation != 0):
        return None
    if derivation == 0:
        return hkdf(secret, salt, b"coffer key slot 1")
    if derivation == 2:
        return hashlib.pbkdf2_hmac("sha512", secret, salt, first, 32)
    key = ctypes.create_string_buffer(32)
    code = ctypes.CDLL("libargon2.so.1").argon2id_hash_raw(
        second, first, 1, secret, ctypes.c_size_t(len(secret)), salt,
        ctypes.c_size_t(len(salt)), key, ctypes.c_size_t(32))
    return key.raw if code == 0 else None


def recovery_bytes(text):
    """The 20 bytes of a recovery key; the fifth character of each group is its checksum."""
    replaced = text.upper().replace("O", "0").replace("I", "1").replace("L", "1")
    values = [DIGITS.index(c) for c in replaced if c not in "- \n"]
    number = 0
    for group in range(8):
        part, checksum = values[5 * group:5 * group + 5], group + 1
        for value in part[:4]:
            checksum = (checksum ^ value) << 1
            checksum ^= 0b100101 if checksum & 32 else 0
            number = number << 5 | value
        if checksum != part[4]:
            sys.exit(f"group {group + 1} of the recovery key is mistyped")
    return number.to_bytes(20, "big")


def read(data):
    """Yields the salt, then each slot, then what authenticates the file."""
    magic, version, count, length, salt, generation, next_id, zero = struct.unpack_from(
        "<8sHHI16sQII", data)
    if magic != b"COFFERKS" or length != len(data) or zero != 0:
        sys.exit("damaged")
    if version != 1:
        sys.exit(f"unknown version {version}")
    if hashlib.sha256(data[:-32]).digest() != data[-32:]:
        sys.exit("damaged")
    slots, position = [], 48
    for _ in range(count):
        size, number, kind, derivation, created, first, second, label_size = struct.unpack_from(
            "<HIBBqIIH", data, position)
        salt_at = position + 26
        parts = {name: data[salt_at + start:salt_at + end] for name, start, end in [
            ("salt", 0, 16), ("nonce", 16, 28), ("sealed", 28, 76), ("label", 76, 76 + label_size)]}
        context = magic + struct.pack("<H", version) + salt + data[position + 2:salt_at + 28]
        slots.append(dict(parts, id=number, kind=kind, derivation=derivation, created=created,
                          first=first, second=second, context=context + parts["label"]))
        position += size
    return salt, generation, slots, data[:position], data[position:position + 32]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--passphrase")
    parser.add_argument("--recovery-key")
    parser.add_argument("--raw")
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        salt, generation, slots, body, code = read(file.read())
    print(f"version 1, database {salt.hex()}, {generation} changes")
    for slot in slots:
        created = datetime.datetime.fromtimestamp(slot["created"], datetime.timezone.utc)
        print(f"slot {slot['id']}: {KINDS[slot['kind']]}, \"{slot['label'].decode()}\", "
              f"{created:%Y-%m-%d %H:%M:%S}, derivation {slot['derivation']} "
              f"({slot['first']}, {slot['second']})")
    secret = (options.passphrase.encode() if options.passphrase is not None
              else recovery_bytes(options.recovery_key) if options.recovery_key
              else bytes.fromhex(options.raw) if options.raw else None)
    if secret is None:
        return
    for slot in slots:
        key = slot_key(secret, options.passphrase is not None, slot["derivation"], slot["first"],
                       slot["second"], slot["salt"])
        data_key = key and aes_gcm(False, key, slot["nonce"], slot["context"], slot["sealed"])
        if data_key:
            expected = hmac.digest(hkdf(data_key, salt, b"coffer key slots 1"), body, "sha256")
            print(f"slot {slot['id']} opens: data key {data_key.hex()}")
            sys.exit(None if hmac.compare_digest(expected, code) else "changed without the key")
    sys.exit("no slot")


if __name__ == "__main__":
    main()
