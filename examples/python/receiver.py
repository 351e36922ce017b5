"""A receiver of callouts in Python 3.9 or later, with nothing to install.

    SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' python3 receiver.py

SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...: this needs the package cryptography.
It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
import traceback
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET_KEY", "")
PORT = int(os.environ.get("PORT", "8091"))
CHECKS_HOOK_SIGNATURE = os.environ.get("SIGNATURE") == "x-hook-signature"
TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 4 * 1024 * 1024
WHOLE_NUMBER = re.compile(r"[0-9]{1,12}")  # not int(): it takes signs and spaces, and fails for thousands of digits


def standard_key(secret):
    """What follows whsec_ is a key in base64; any other secret is its own key."""
    if secret.startswith("whsec_"):
        try:
            return base64.b64decode(secret[6:], validate=True) or secret.encode()
        except ValueError:
            pass
    return secret.encode()


def public_key(text):
    """The key in a signingPublicKey. Raises ValueError if it has none."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(base64.b64decode(text[5:], validate=True))


def is_signed(signature, signed):
    """Whether Ed25519 signed it with the private key of the public key in SECRET_KEY."""
    from cryptography.exceptions import InvalidSignature

    try:
        public_key(SECRET).verify(base64.b64decode(signature, validate=True), signed)
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
    if not WHOLE_NUMBER.fullmatch(timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
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
    """The ids of the callouts that are being handled, and of the last that were handled.

    With several processes, keep them in your database, beside what you store.
    """

    def __init__(self, size=100_000):
        self._running, self._handled, self._size, self._lock = set(), OrderedDict(), size, threading.Lock()

    def begin(self, message_id):
        """Returns "new", "running" or "handled". Only what is new may be handled."""
        with self._lock:
            if message_id in self._handled:
                return "handled"
            if message_id in self._running:
                return "running"
            self._running.add(message_id)
            return "new"

    def end(self, message_id, is_handled):
        """A callout that was not handled is forgotten: Callout sends it again, and then it is new."""
        with self._lock:
            self._running.discard(message_id)
            if is_handled:
                self._handled[message_id] = True
            if len(self._handled) > self._size:
                self._handled.popitem(last=False)


seen = Seen()


def handle(callout):
    """Your work. Callout waits 10 s: store the callout or put it into a queue, and return."""
    fields = json.dumps(callout["Fields"], ensure_ascii=False, separators=(",", ":"))
    # One string: several threads print.
    print(f"{callout['Action']} {callout['EntityType']} {callout['Id']} {fields}\n", end="", flush=True)


def read_callout(body):
    """Returns None for anything but the body of a callout in the format reference."""
    try:
        callout = json.loads(body)
        return callout if isinstance(callout["SequenceNumber"], int) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # seconds of silence after which a connection is closed

    def do_POST(self):
        body = self.read_body()
        if body is None:
            return
        if not is_genuine(self.headers, body):
            return self.answer(401)
        callout = read_callout(body)
        if callout is None:
            return self.answer(400)
        if callout["SequenceNumber"] == 0:
            return self.answer(200)  # a test
        # X-Hook-Signature does not sign the webhook-id: there, the same signature is the same callout.
        callout_id = self.headers.get("X-Hook-Signature" if CHECKS_HOOK_SIGNATURE else "webhook-id", "")
        state = seen.begin(callout_id)
        if state == "running":
            # Not 200: if handling it fails, Callout has to send it again. No Retry-After: the waits of Callout grow.
            return self.answer(503)
        if state == "handled":
            return self.answer(200)
        is_handled = False
        try:
            handle(callout)
            is_handled = True
        except Exception:
            traceback.print_exc()
        finally:
            seen.end(callout_id, is_handled)
        self.answer(200 if is_handled else 500)

    def read_body(self):
        """Returns the bytes of the body. Answers, and returns None, if they cannot be read."""
        if "Transfer-Encoding" in self.headers or "Content-Length" not in self.headers:
            return self.answer(411)
        given_length = self.headers["Content-Length"]
        if not WHOLE_NUMBER.fullmatch(given_length):
            return self.answer(400)
        length = int(given_length)
        if length > MAX_BODY_BYTES:
            self.discard(min(length, 4 * MAX_BODY_BYTES))
            return self.answer(413)
        body = self.rfile.read(length)
        return body if len(body) == length else self.answer(400)

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
    if SECRET.startswith("whpk_"):
        try:
            public_key(SECRET)
        except ValueError:
            sys.exit("SECRET_KEY begins with whpk_ but is not a public key: copy the signingPublicKey of the webhook.")
    ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
