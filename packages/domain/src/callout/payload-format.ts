/**
 * How a body shows an event. `reference`: values as text, under the names of the catalogue in PascalCase. `typed`:
 * values as JSON has them. `cloudevents`: the typed data in a CloudEvent 1.0.
 */
export const payloadFormats = ['reference', 'typed', 'cloudevents'] as const;

export type PayloadFormat = (typeof payloadFormats)[number];

/** The `Content-Type` of each format. */
export const contentTypes = {
  reference: 'application/json',
  typed: 'application/json',
  cloudevents: 'application/cloudevents+json',
} as const satisfies Record<PayloadFormat, string>;

/**
 * The format of a body that Callout made. The first key shows the format, in every body: neither the callout nor the
 * webhook, which may have another format by now, has to be asked.
 */
export function formatOf(body: string): PayloadFormat {
  if (body.startsWith('{"specversion"')) return 'cloudevents';
  return body.startsWith('{"action"') ? 'typed' : 'reference';
}
