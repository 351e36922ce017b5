// How many source files name a setting of a webhook, by its key or its column: a new setting is one declaration and the
// place that reads it, so the number stays small.
import { holdBelow } from './bounds.mjs';
import { sources, textOf } from './sources.mjs';

const MOST_FILES = 6;
/** Settings that more files name: only ever lowered. */
const MORE = {
  alertFormat: 14,
  alertRoutingKey: 10,
  caCertificate: 13,
  deactivationUrl: 27,
  includePreviousValues: 10,
  isSubscribedToCreateEvents: 15,
  isSubscribedToDeleteEvents: 15,
  isSubscribedToUpdateEvents: 20,
  maxCallsPerSecond: 21,
  maxConcurrentCalls: 16,
  mergeWhileWaiting: 9,
  payloadFormat: 13,
  receiverAuth: 29,
  requestHeaders: 38,
  secretKey: 48,
  signatureKind: 33,
  webhookUrl: 43,
};
/** Words that other things have, too. */
const COMMON = ['name', 'condition', 'isActive'];

const declarations = sources.filter((file) => file.startsWith('packages/webhooks/src/settings/'));
const keys = declarations
  .flatMap((file) => [...textOf(file).matchAll(/^ {2}key: '(\w+)',$/gm)].map(([, key]) => key))
  .filter((key) => !COMMON.includes(key));
const columnOf = (key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The number of source files that name a setting, by its key. */
export const filesOfSettings = new Map(
  keys.map((key) => {
    const named = new RegExp(`\\b(?:${key}|${columnOf(key)})\\b`);
    return [key, sources.filter((file) => named.test(textOf(file))).length];
  }),
);

export const scatteredSettings = () =>
  holdBelow({
    figures: filesOfSettings,
    most: MOST_FILES,
    exceptions: MORE,
    what: 'source files that name the setting',
    table: '.ci/structure/settings.mjs',
  });
