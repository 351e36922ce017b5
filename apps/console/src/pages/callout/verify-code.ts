import type { CalloutDetails } from './callout-query.ts';

/** What the programs are made of: the request as signed. */
type Signed = Pick<CalloutDetails, 'id' | 'body'> & {
  readonly attempt: Pick<CalloutDetails['attempts'][number], 'number' | 'requestHeaders'>;
};

/** Header names in any case. */
function headerOf({ requestHeaders }: Signed['attempt'], name: string): string {
  return Object.entries(requestHeaders).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}

/** As a literal of JavaScript and of JSON, in ASCII and without `'`: no character can end the line or the literal. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /['\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * A program for Node, without packages, for verifying the signature of an attempt. The log keeps no signatures, so the
 * person enters the signature from the receiver beside the secret.
 */
export function nodeVerifier({ id, body, attempt }: Signed): string {
  return `// Verifies attempt ${attempt.number} of callout ${id}. Save as verify.mjs, fill in the two lines below, run: node verify.mjs
import { createHmac, timingSafeEqual, verify } from 'node:crypto';

// Or its public key, whpk_..., for a signature that begins with v1a.
const secret = process.env.SECRET ?? 'the secret of the webhook';
// The header webhook-signature that your receiver got. The delivery log does not keep it.
const signature = process.env.SIGNATURE ?? 'v1,...';

const id = ${quoted(id)};
const timestamp = ${quoted(headerOf(attempt, 'webhook-timestamp'))};
// The raw body, byte for byte. Verify it before you parse it.
const body = ${quoted(body)};

// Of a secret such as whsec_..., the decoded bytes are the key; of any other its text.
const encoded = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(secret)?.[1];
const key = encoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret, 'utf8');
const signed = Buffer.from(\`\${id}.\${timestamp}.\${body}\`, 'utf8');
const expected = createHmac('sha256', key).update(signed).digest();

function isOfSecret(one) {
  const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function isOfKeyPair(one) {
  const x = Buffer.from(secret.slice('whpk_'.length), 'base64').toString('base64url');
  const publicKey = { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' };
  return one.startsWith('v1a,') && verify(null, signed, publicKey, Buffer.from(one.slice('v1a,'.length), 'base64'));
}

// While a secret or a key pair is rotated there are two signatures, with a space between.
const isPublicKey = secret.startsWith('whpk_');
const isValid = signature.split(' ').some(isPublicKey ? isOfKeyPair : isOfSecret);
const why = isPublicKey ? 'no signature is of this key' : \`this secret makes v1,\${expected.toString('base64')}\`;
console.log(isValid ? 'valid' : \`not valid: \${why}\`);
process.exitCode = isValid ? 0 : 1;
`;
}

/** The program for Python 3; a public key needs a package. */
export function pythonVerifier({ id, body, attempt }: Signed): string {
  return `# Verifies attempt ${attempt.number} of callout ${id}. Save as verify.py, fill in the two lines below, run: python3 verify.py
import base64, hashlib, hmac, json, os, re, sys

# Or its public key, whpk_..., for a signature that begins with v1a: this needs the package cryptography.
secret = os.environ.get("SECRET", "the secret of the webhook")
# The header webhook-signature that your receiver got. The delivery log does not keep it.
signature = os.environ.get("SIGNATURE", "v1,...")

id = ${quoted(id)}
timestamp = ${quoted(headerOf(attempt, 'webhook-timestamp'))}
# The raw body, byte for byte. Verify it before you parse it.
body = json.loads(r'''${quoted(body)}''')

# Of a secret such as whsec_..., the decoded bytes are the key; of any other its text.
encoded = re.fullmatch(r"whsec_((?:[A-Za-z0-9+/]{4})+|(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))", secret)
key = base64.b64decode(encoded[1]) if encoded else secret.encode()
signed = f"{id}.{timestamp}.{body}".encode()
expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

def is_of_secret(one):
    return hmac.compare_digest(one.removeprefix("v1,"), expected)

def is_of_key_pair(one):
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    try:
        public_key = Ed25519PublicKey.from_public_bytes(base64.b64decode(secret.removeprefix("whpk_")))
        public_key.verify(base64.b64decode(one.removeprefix("v1a,")), signed)
        return one.startswith("v1a,")
    except (InvalidSignature, ValueError):
        return False

# While a secret or a key pair is rotated there are two signatures, with a space between.
is_public_key = secret.startswith("whpk_")
valid = any(map(is_of_key_pair if is_public_key else is_of_secret, signature.split(" ")))
why = "no signature is of this key" if is_public_key else f"this secret makes v1,{expected}"
print("valid" if valid else f"not valid: {why}")
sys.exit(0 if valid else 1)
`;
}
