/** A secret, by a name that may be printed. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * Which secrets a text contains: as they are, as they look within JSON or a URL, or in base64 or hex.
 * @returns their names; never the secrets.
 */
export function leaksIn(text: string, secrets: Secrets): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

function formsOf(secret: string): string[] {
  if (secret.length < 8) throw new Error('a text this short would be found by chance');
  const bytes = Buffer.from(secret, 'utf8');
  // Without its padding and last group, base64 is found also where more bytes follow.
  const base64 = bytes.toString('base64').replace(/.{0,3}=*$/, '');
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret), base64, bytes.toString('hex')];
}
