"""A receiver of callouts in Python 3.9 or later, with nothing to install.

    SECRET_KEY='a secret of mine' python3 receiver.py

SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...: this needs the package cryptography.
It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET_KEY", "")
PORT = int(os.environ.get("PORT", "8091"))
CHECKS_HOOK_SIGNATURE = os.environ.get("SIGNATURE") == "x-hook-signature"
TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 4 * 1024 * 1024


def standard_key(secret):
    """What follows whsec_ is a key in base64; any other secret is its own key."""
    if secret.startswith("whsec_"):
        try:
            return base64.b64decode(secret[6:], validate=True) or secret.encode()
        except ValueError:
            pass
    return secret.encode()


def is_signed(signature, signed):
    """Whether Ed25519 signed it with the private key of the public key in SECRET_KEY."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(SECRET[5:]))
    try:
        key.verify(base64.b64decode(signature, validate=True), signed)
        return True
    except (InvalidSignature, ValueError):
        return False


def is_genuine(headers, body):
    """The signature is that of the bytes as they came: check it before anything parses them."""
    if CHECKS_HOOK_SIGNATURE:
        mac = hmac.new(SECRET.encode(), body, hashlib.sha1)
        expected = "sha1=" + base64.b64encode(mac.digest()).decode()
        return hmac.compare_digest(headers.get("X-Hook-Signature", "").encode(), expected.encode())

    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    given = headers.get("webhook-signature", "").split(" ")[:10]
    # A public key is never the key of an HMAC: anyone could sign with it.
    if SECRET.startswith("whpk_"):
        return any([is_signed(each[4:], signed) for each in given if each.startswith("v1a,")])
    mac = hmac.new(standard_key(SECRET), signed, hashlib.sha256)
    expected = ("v1," + base64.b64encode(mac.digest()).decode()).encode()
    # Two signatures while the secret is being rotated.
    return any([hmac.compare_digest(each.encode(), expected) for each in given])


class Seen:
    """The ids of the last callouts. With several processes, keep them in your database, beside what you store."""

    def __init__(self, size=100_000):
        self._ids, self._size, self._lock = OrderedDict(), size, threading.Lock()

    def add(self, message_id):
        """Says whether the id is new."""
        with self._lock:
            if message_id in self._ids:
                return False
            self._ids[message_id] = True
            if len(self._ids) > self._size:
                self._ids.popitem(last=False)
            return True

    def forget(self, message_id):
        with self._lock:
            self._ids.pop(message_id, None)


seen = Seen()


def handle(callout):
    """Your work. Callout waits 10 s: store the callout or put it into a queue, and return."""
    fields = json.dumps(callout["Fields"], ensure_ascii=False, separators=(",", ":"))
    # One string: several threads print.
    print(f"{callout['Action']} {callout['EntityType']} {callout['Id']} {fields}\n", end="", flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        given_length = self.headers.get("Content-Length", "")
        if not given_length.isdecimal():
            return self.answer(400)
        length = int(given_length)
        if length > MAX_BODY_BYTES:
            self.discard(min(length, 4 * MAX_BODY_BYTES))
            return self.answer(413)
        body = self.rfile.read(length)
        if len(body) < length:
            return self.answer(400)
        if not is_genuine(self.headers, body):
            return self.answer(401)
        message_id = self.headers.get("webhook-id", "")
        try:
            callout = json.loads(body)
            is_test = callout["SequenceNumber"] == 0
        except (ValueError, TypeError, KeyError):
            return self.answer(400)
        if is_test or not seen.add(message_id):
            return self.answer(200)
        try:
            handle(callout)
        except Exception:
            seen.forget(message_id)  # Callout sends it again, and then it is to be handled
            self.answer(500)
            raise
        self.answer(200)

    def discard(self, length):
        """With unread bytes the connection is reset, and the sender never sees the answer."""
        while length > 0:
            chunk = self.rfile.read(min(length, 65536))
            if not chunk:
                break
            length -= len(chunk)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not SECRET:
        sys.exit("Set SECRET_KEY to the secretKey of the webhook.")
    ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
