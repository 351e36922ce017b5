import { ApiError, type CalloutClient, type Schemas } from '@callout/client';
import { CannotGoOn } from '../../cannot-go-on.ts';
import { placeName, readVersion, webhookPath, type WebhookPlace } from '../api/webhooks.ts';
import { table } from '../show/show.ts';
import { shownSettings } from './setting-options.ts';

/** The ETag of a command line: shells remove its quotes. */
export const versionOf = (etag: string): string => (/^(?:"|W\/|\*)/u.test(etag) ? etag : `"${etag}"`);

/**
 * Changes settings of a webhook.
 * @param version the ETag of the version that the change is for; undefined: any version.
 * @returns the warnings of the API.
 * @throws CannotGoOn with the present and the wanted settings, for another version.
 */
export async function updateSettings(
  client: CalloutClient,
  place: WebhookPlace,
  body: Schemas['WebhookUpdate'],
  version: string | undefined,
): Promise<readonly string[]> {
  const params = { path: { id: place.id } };
  const headers = version === undefined ? {} : { 'If-Match': version };
  try {
    const { data } = await client.PATCH(webhookPath(place.entity.webhookCollection, ''), { params, body, headers });
    return data.warnings ?? [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    throw new CannotGoOn(await bothVersions(client, place, body));
  }
}

async function bothVersions(client: CalloutClient, place: WebhookPlace, body: object): Promise<string> {
  const { webhook, etag } = await readVersion(client, place);
  const settings = Object.entries(shownSettings({ ...body })).map(([setting, yours]) => ({
    setting,
    now: webhook[setting as keyof typeof webhook],
    yours,
  }));
  return [
    `${placeName(place)} has been changed since the version that you name. Nothing is changed.`,
    table(settings, ['setting', 'now', 'yours'], 'You change no settings.'),
    `To make your change of what it is now, name that version: --if-match '${etag}'`,
  ].join('\n');
}
