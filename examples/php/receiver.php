<?php
/**
 * A receiver of callouts in PHP 8.0 or later, with nothing to install.
 *
 *     SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' php -S 127.0.0.1:8091 receiver.php
 *
 * SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...: this needs the extension sodium.
 * SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
 */

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Your work. Callout waits 10 s: store the callout or put it into a queue, and return. */
function handle(array $callout): void
{
    $fields = json_encode($callout['Fields'], JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_FORCE_OBJECT);
    file_put_contents('php://stdout', "{$callout['Action']} {$callout['EntityType']} {$callout['Id']} $fields\n");
}

function header_value(string $name): string
{
    return $_SERVER['HTTP_' . strtoupper(str_replace('-', '_', $name))] ?? '';
}

/** What follows whsec_ is a key in base64; any other secret is its own key. */
function standard_key(string $secret): string
{
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
    return $key === false || $key === '' ? $secret : $key;
}

/** The bytes of a signingPublicKey, whpk_ and base64; null: it is none. */
function public_key(string $text): ?string
{
    $key = (string) base64_decode(substr($text, 5), true);
    return strlen($key) === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES ? $key : null;
}

/** Whether Ed25519 made one of the signatures with the private key of a public key. */
function is_signed(array $all, string $signed, string $publicKey): bool
{
    foreach ($all as $given) {
        $signature = str_starts_with($given, 'v1a,') ? (string) base64_decode(substr($given, 4), true) : '';
        $isWhole = strlen($signature) === SODIUM_CRYPTO_SIGN_BYTES;
        if ($isWhole && sodium_crypto_sign_verify_detached($signature, $signed, $publicKey)) {
            return true;
        }
    }
    return false;
}

/** The signature is that of the bytes as they came: check it before anything parses them. */
function is_genuine(string $body, string $secret): bool
{
    if (getenv('SIGNATURE') === 'x-hook-signature') {
        $expected = 'sha1=' . base64_encode(hash_hmac('sha1', $body, $secret, true));
        return hash_equals($expected, header_value('x-hook-signature'));
    }
    $id = header_value('webhook-id');
    $timestamp = header_value('webhook-timestamp');
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $all = array_slice(explode(' ', header_value('webhook-signature')), 0, 10);
    // A public key is never the key of an HMAC: anyone could sign with it.
    if (str_starts_with($secret, 'whpk_')) {
        return is_signed($all, "$id.$timestamp.$body", (string) public_key($secret));
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", standard_key($secret), true));
    $isRight = false;
    // Two signatures while the secret is being rotated.
    foreach ($all as $given) {
        $isRight = hash_equals($expected, $given) || $isRight;
    }
    return $isRight;
}

/**
 * Opens the file that stands for a callout: locked while it is being handled, and "handled" afterwards. Each request of
 * PHP starts from nothing, so what was seen is on disk here; a table of your database, beside what you store, is the
 * better place. Remove what is older than three days. A process that dies loses its lock, and the callout is new again.
 *
 * @return resource
 */
function seen_file(string $id)
{
    $directory = sys_get_temp_dir() . '/callouts-seen';
    if (!is_dir($directory)) {
        @mkdir($directory, 0700, true);
    }
    $file = fopen($directory . '/' . hash('sha256', $id), 'c+');
    if ($file === false) {
        throw new RuntimeException("What was seen cannot be kept in $directory: is it writable?");
    }
    return $file;
}

/** Does not return. */
function answer(int $status): void
{
    http_response_code($status);
    exit;
}

// Unless answer() sets another status: where display_errors is on, PHP answers a fatal error (out of memory, out of time)
// with 200, and Callout would not send the callout again.
http_response_code(500);
$secret = (string) getenv('SECRET_KEY');
if ($secret === '') {
    // PHP runs this file for each request: there is no start at which to refuse.
    error_log('Set SECRET_KEY to the secretKey of the webhook.');
    answer(500);
}
if (str_starts_with($secret, 'whpk_') && public_key($secret) === null) {
    error_log('SECRET_KEY begins with whpk_ but is not a public key: copy the signingPublicKey of the webhook.');
    answer(500);
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    answer(405);
}
// PHP itself reads no body above its post_max_size.
if ((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > MAX_BODY_BYTES) {
    answer(413);
}
$body = (string) file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
if (strlen($body) > MAX_BODY_BYTES) {
    answer(413);
}
if (!is_genuine($body, $secret)) {
    answer(401);
}
$callout = json_decode($body, true, 64);
if (!is_array($callout) || !is_int($callout['SequenceNumber'] ?? null)) {
    answer(400);
}
if ($callout['SequenceNumber'] === 0) {
    answer(200); // a test
}
try {
    // X-Hook-Signature does not sign the webhook-id: there, the same signature is the same callout.
    $file = seen_file(header_value(getenv('SIGNATURE') === 'x-hook-signature' ? 'x-hook-signature' : 'webhook-id'));
    if (!flock($file, LOCK_EX | LOCK_NB)) {
        // Not 200: if handling it fails, Callout has to send it again. No Retry-After: the waits of Callout grow.
        answer(503);
    }
    if (stream_get_contents($file) === '') {
        handle($callout);
        fwrite($file, 'handled');
        fflush($file);
    }
} catch (Throwable $failure) {
    error_log((string) $failure);
    answer(500); // nothing was written: when Callout sends it again, it is new
}
answer(200);
