"""Fetches callouts, for programs that Callout cannot reach: those of a webhook with the webhookUrl pull:.

    WEBHOOK_URL='http://127.0.0.1:8080/atservicesrest/v1.0/CompanyWebhooks/1' \\
      CALLOUT_USER='…' CALLOUT_SECRET='…' CALLOUT_INTEGRATION_CODE='…' python3 consumer.py

Python 3.9 or later, with nothing to install. Ctrl-C or SIGTERM ends it, after it has finished the callouts that it holds.
With https the connection vouches for the callouts. SECRET_KEY, the secretKey of the webhook or its signingPublicKey,
whpk_..., verifies their signatures too; a public key needs the package cryptography.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

AT_ONCE = 10  # the API never hands out two callouts of one record
LEASE_SECONDS = 60  # another consumer gets what is not acknowledged by then
WAIT_SECONDS = 20  # how long the API waits when nothing is due
DRAIN_SECONDS = 20  # what is not finished so long after a signal is given back
MAX_SEEN = 100_000
SECRET = os.environ.get("SECRET_KEY", "")
TOLERANCE_SECONDS = 300
WHOLE_NUMBER = re.compile(r"[0-9]{1,12}")  # not int(): it takes signs and spaces, and fails for thousands of digits


def handle(callout):
    """Your work. What it raises is tried again by the retry schedule."""
    fields = json.dumps(callout["Fields"], ensure_ascii=False, separators=(",", ":"))
    # One string: several threads print.
    print(f"{callout['Action']} {callout['EntityType']} {callout['Id']} {fields}\n", end="", flush=True)


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
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not WHOLE_NUMBER.fullmatch(timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.{body}".encode()
    given = headers.get("webhook-signature", "").split(" ")[:10]
    # A public key is never the key of an HMAC: anyone could sign with it.
    if SECRET.startswith("whpk_"):
        return any([is_signed(each[4:], signed) for each in given if each.startswith("v1a,")])
    mac = hmac.new(standard_key(SECRET), signed, hashlib.sha256)
    expected = ("v1," + base64.b64encode(mac.digest()).decode()).encode()
    # Two signatures while the secret is being rotated.
    return any([hmac.compare_digest(each.encode(), expected) for each in given])


class Refused(Exception):
    """To send the request again would not help."""


class Stopped(Exception):
    """A signal came while nothing was held."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address gets no credential."""

    def redirect_request(self, *_):
        return None


class Api:
    def __init__(self, url, headers):
        self._url, self._headers = url.rstrip("/"), {"Content-Type": "application/json", **headers}
        self._opener = urllib.request.build_opener(NoRedirects)

    def post(self, path, body, timeout):
        """Sends a request until it is answered. Waits longer after each failure, or as long as the API says."""
        failures = 0
        while True:
            try:
                request = urllib.request.Request(f"{self._url}/{path}", json.dumps(body).encode(), self._headers)
                with self._opener.open(request, timeout=timeout) as response:
                    return json.load(response)["items"]
            except urllib.error.HTTPError as error:
                reason, retry_after = f"{error.code} {sentence_of(error)}", error.headers.get("Retry-After", "")
                if error.code < 500 and error.code not in (408, 425, 429):
                    raise Refused(reason) from None
            except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
                reason, retry_after = str(error), ""
            failures += 1
            seconds = min(30, 2 ** min(failures - 1, 5)) * random.uniform(0.5, 1)
            if WHOLE_NUMBER.fullmatch(retry_after):
                seconds = max(1, int(retry_after)) * random.uniform(1, 1.1)
            print(f"{self._url}/{path}: {reason}. Trying again in {seconds:.0f} s.", file=sys.stderr, flush=True)
            if stopping.at is not None and time.monotonic() + seconds > stopping.at + DRAIN_SECONDS:
                raise Stopped
            time.sleep(seconds)


def sentence_of(error):
    try:
        return " ".join(re.sub(r"^\d{3}: ", "", each) for each in json.load(error)["errors"])
    except (OSError, ValueError, KeyError, TypeError):
        return error.reason


class Stopping:
    """Ends a wait for callouts at once, and work after it is finished."""

    def __init__(self):
        self.at, self.may_raise = None, False

    def __call__(self, *_):
        self.at = self.at or time.monotonic()
        if self.may_raise:
            raise Stopped


class Seen:
    """The ids of the callouts that are being handled, and of the last that were handled.

    One whose acknowledgement was lost, or whose lease ended before it was handled, comes again.
    """

    def __init__(self):
        self._running, self._handled, self._lock = set(), OrderedDict(), threading.Lock()

    def once(self, callout_id, work):
        """Does the work of a callout unless it was done. Raises what it raises, and also while it is being done."""
        with self._lock:
            if callout_id in self._handled:
                return
            if callout_id in self._running:
                raise RuntimeError("it is still being handled since an earlier lease")
            self._running.add(callout_id)
        is_handled = False
        try:
            work()
            is_handled = True
        finally:
            with self._lock:
                self._running.discard(callout_id)
                if is_handled:
                    self._handled[callout_id] = True
                if len(self._handled) > MAX_SEEN:
                    self._handled.popitem(last=False)


stopping, seen = Stopping(), Seen()


def handle_once(item):
    """Returns whether the callout is to be acknowledged."""
    try:
        if SECRET and not is_genuine(item["headers"], item["body"]):
            raise ValueError("its signature is wrong")
        callout = json.loads(item["body"])
        is_test = callout["SequenceNumber"] == 0
        if not is_test:
            seen.once(item["calloutID"], lambda: handle(callout))
        return True
    except Exception as error:
        print(f"Callout {item['calloutID']} was not handled: {error!r}", file=sys.stderr, flush=True)
        return False


def work_on(items, api, pool):
    """Handles callouts, and acknowledges each as soon as it is handled: the next of its record waits for that."""
    lease_end = time.monotonic() + LEASE_SECONDS - 5
    working = {pool.submit(handle_once, item): item["ackID"] for item in items}
    while working:
        done, _ = wait(working, timeout=1, return_when=FIRST_COMPLETED)
        acks, nacks = [], []
        for future in done:
            ack_id = working.pop(future)
            if future.result():
                acks.append(ack_id)
            else:
                nacks.append({"ackID": ack_id, "reason": "The consumer could not handle it; its log says why."})
        stop_at = lease_end if stopping.at is None else min(lease_end, stopping.at + DRAIN_SECONDS)
        if time.monotonic() > stop_at:
            nacks += [{"ackID": ack_id, "reason": "It was not handled in time."} for ack_id in working.values()]
            for future in working:
                future.cancel()  # it must not begin any more: another consumer may handle it, and later ones of its record
            working.clear()
        if acks or nacks:
            api.post("Pull/ack", {"acks": acks, "nacks": nacks}, timeout=30)


def consume(api):
    pull = {"max": AT_ONCE, "waitSeconds": WAIT_SECONDS, "leaseSeconds": LEASE_SECONDS}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        stopping.may_raise = True
        while stopping.at is None:
            asked_at = time.monotonic()
            items = api.post("Pull", pull, timeout=WAIT_SECONDS + 30)
            stopping.may_raise = False
            work_on(items, api, pool)
            stopping.may_raise = True
            if not items and time.monotonic() - asked_at < 1:
                time.sleep(1)  # an API that is stopping answers at once


def main():
    names = ["WEBHOOK_URL", "CALLOUT_USER", "CALLOUT_SECRET", "CALLOUT_INTEGRATION_CODE"]
    url, user, secret, code = values = [os.environ.get(name, "") for name in names]
    if not all(values):
        sys.exit(f"Set {', '.join(name for name, value in zip(names, values) if not value)}.")
    if not re.fullmatch(r"https?://.+/\w+Webhooks/\d+/?", url):
        sys.exit("WEBHOOK_URL must be the address of a webhook, such as https://…/v1.0/CompanyWebhooks/1.")
    if SECRET.startswith("whpk_"):
        try:
            public_key(SECRET)
        except ValueError:
            sys.exit("SECRET_KEY begins with whpk_ but is not a public key: copy the signingPublicKey of the webhook.")
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stopping)
    try:
        consume(Api(url, {"UserName": user, "Secret": secret, "ApiIntegrationCode": code}))
    except Stopped:
        pass
    except Refused as error:
        sys.exit(f"{url}: {error}")


if __name__ == "__main__":
    main()
