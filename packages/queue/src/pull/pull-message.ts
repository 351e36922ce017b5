/** The channel for webhooks with callouts to fetch. */
export const pullChannel = (prefix: string): string => `${prefix}:pull`;

/** A longer text was not written by Callout. */
const maxMessageLength = 100_000;
/** This many keys of the maximum length are still shorter than that. */
const keysPerMessage = 5_000;

/** The messages for these webhooks: one for a few thousand of them. */
export function writePullMessages(webhookKeys: readonly number[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at < webhookKeys.length; at += keysPerMessage)
    messages.push(webhookKeys.slice(at, at + keysPerMessage).join(','));
  return messages;
}

/** The keys in a message; undefined when it is invalid: every program with access to Redis can publish there. */
export function readPullMessage(text: string): number[] | undefined {
  if (text.length > maxMessageLength || !/^\d{1,15}(?:,\d{1,15})*$/.test(text)) return undefined;
  return text.split(',').map(Number);
}
