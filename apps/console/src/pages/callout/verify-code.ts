import type { CalloutDetails } from './callout-query.ts';

/** What the programs are made of: the request as it was signed. */
type Signed = Pick<CalloutDetails, 'id' | 'body'> & {
  readonly attempt: Pick<CalloutDetails['attempts'][number], 'number' | 'requestHeaders'>;
};

/** Header names in any case. */
function headerOf({ requestHeaders }: Signed['attempt'], name: string): string {
  return Object.entries(requestHeaders).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}

/** As a literal of JavaScript and of JSON, in ASCII and without `'`: nothing in it can end the line or the literal. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /['\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * A program for Node, without packages, that verifies the signature of one attempt. The log keeps no signatures, so the
 * one that the receiver got is put in beside the secret.
 */
export function nodeVerifier({ id, body, attempt }: Signed): string {
  return `// Verifies attempt ${attempt.number} of callout ${id}. Save as verify.mjs, fill in the two lines below, run: node verify.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';

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
const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`, 'utf8').digest();

// While a secret is rotated there are two signatures, with a space between.
const isValid = signature.split(' ').some((one) => {
  const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
});
console.log(isValid ? 'valid' : \`not valid: this secret makes v1,\${expected.toString('base64')}\`);
process.exitCode = isValid ? 0 : 1;
`;
}

/** The same for Python 3, without packages. */
export function pythonVerifier({ id, body, attempt }: Signed): string {
  return `# Verifies attempt ${attempt.number} of callout ${id}. Save as verify.py, fill in the two lines below, run: python3 verify.py
import base64, hashlib, hmac, json, os, re, sys

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
expected = base64.b64encode(hmac.new(key, f"{id}.{timestamp}.{body}".encode(), hashlib.sha256).digest()).decode()

# While a secret is rotated there are two signatures, with a space between.
valid = any(hmac.compare_digest(one.removeprefix("v1,"), expected) for one in signature.split(" "))
print("valid" if valid else f"not valid: this secret makes v1,{expected}")
sys.exit(0 if valid else 1)
`;
}
