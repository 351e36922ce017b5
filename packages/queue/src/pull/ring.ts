/** Where it is told that webhooks have something to fetch. */
export const pullChannel = (prefix: string): string => `${prefix}:pull`;

/** Any longer text was not written by Callout. */
const longestRing = 100_000;

export function writeRing(webhookKeys: readonly number[]): string {
  return webhookKeys.join(',');
}

/** The keys that a ring names; undefined when it is none: every program with access to Redis can publish there. */
export function readRing(text: string): number[] | undefined {
  if (text.length > longestRing || !/^\d{1,15}(?:,\d{1,15})*$/.test(text)) return undefined;
  return text.split(',').map(Number);
}
