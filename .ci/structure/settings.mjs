// How many source files name a setting of a webhook, by its key or its column: a new setting is one declaration and the
// place that reads it, so the number stays small.
import { holdBelow } from './bounds.mjs';
import { sources, textOf } from './sources.mjs';

const MOST_FILES = 6;
/** Settings that more files name: only ever lowered. */
const MORE = {
  alertFormat: 21,
  alertRoutingKey: 17,
  caCertificate: 14,
  deactivationUrl: 33,
  includePreviousValues: 17,
  isSubscribedToCreateEvents: 21,
  isSubscribedToDeleteEvents: 21,
  isSubscribedToUpdateEvents: 26,
  maxCallsPerSecond: 27,
  maxConcurrentCalls: 22,
  mergeWhileWaiting: 15,
  notificationEmailAddress: 12,
  payloadFormat: 20,
  receiverAuth: 30,
  requestHeaders: 39,
  secretKey: 49,
  sendThresholdExceededNotification: 9,
  signatureKind: 37,
  webhookUrl: 49,
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
