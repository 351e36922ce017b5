/** `push`: callouts are sent to the URL; `pull`: they wait until a program fetches them (`POST /{Webhooks}/{id}/Pull`). */
export const deliveryModes = ['push', 'pull'] as const;
type DeliveryMode = (typeof deliveryModes)[number];

/** The URL that stands for `pull` wherever people and programs read or write one. */
export const pullUrl = 'pull:';

/** The mode that a URL of a webhook stands for. */
export function modeOf(url: string): DeliveryMode {
  return url === pullUrl ? 'pull' : 'push';
}
