/** Where it is told that webhooks have something to fetch. */
export const pullChannel = (prefix: string): string => `${prefix}:pull`;

/** Any longer text was not written by Callout. */
const longestRing = 100_000;
/** As many keys of the greatest length are still shorter than that. */
const mostKeys = 5_000;

/** The messages that name these webhooks: one for a few thousand of them. */
export function writeRings(webhookKeys: readonly number[]): string[] {
  const rings: string[] = [];
  for (let at = 0; at < webhookKeys.length; at += mostKeys) rings.push(webhookKeys.slice(at, at + mostKeys).join(','));
  return rings;
}

/** The keys that a ring names; undefined when it is none: every program with access to Redis can publish there. */
export function readRing(text: string): number[] | undefined {
  if (text.length > longestRing || !/^\d{1,15}(?:,\d{1,15})*$/.test(text)) return undefined;
  return text.split(',').map(Number);
}
