import { commaSeparated, key, UnreadableValue } from './key.ts';

const HOW_TO_MAKE_ONE =
  "Make a key with: node -e \"console.log('k1:' + require('node:crypto').randomBytes(32).toString('base64'))\" " +
  'and keep it as safe as the database: without it no webhook secret can be read.';

/**
 * The key ring that webhook secrets are encrypted with: `keyId:base64key[,keyId:base64key…]`, 32 bytes each.
 * The first key encrypts, all of them decrypt. Only its form is checked here; the value stays text.
 */
export function secretKeys() {
  return key<string>({
    description:
      "Key ring for webhook secrets at rest: `id:base64 of 32 bytes`, comma separated. The first key encrypts, all decrypt. Make a key with `node -p \"'k1:' + crypto.randomBytes(32).toString('base64')\"`; to change to a new one see [administering.md](administering.md#rotating-the-keys-of-webhook-secrets). A key in use that is lost for good is named in place of its bytes, `k1:lost`, so that processes start; see [troubleshooting.md](troubleshooting.md#a-key-is-missing).",
    accepts: 'one or more `id:key` pairs with distinct ids and keys of 32 bytes in base64',
    howToSet: HOW_TO_MAKE_ONE,
    isSecret: true,
    read: (text) => {
      const pairs = commaSeparated(text).map((pair) => /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=|lost)$/.exec(pair));
      if (pairs.includes(null) || (pairs[0]?.[2] ?? 'lost') === 'lost') throw new UnreadableValue();
      if (new Set(pairs.map((pair) => pair?.[1])).size !== pairs.length) throw new UnreadableValue();
      return text;
    },
  });
}
