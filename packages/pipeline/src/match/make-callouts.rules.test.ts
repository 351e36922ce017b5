import { expect, it } from '@jest/globals';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { noPreviousValues } from '@callout/domain/previous-values';
import { emptyFieldValues } from '@callout/domain/values/values';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { makeCallouts, type MatchEvent, type WebhookMatch } from './match-events.rules.ts';
import { compileSubscription } from './match.rules.ts';

const companyName = 'x'.repeat(1_000);
const event: MatchEvent = {
  id: 'e',
  eventKey: null,
  tenantId: 1,
  entityType: 'Account',
  recordId: 1,
  action: 'Create',
  personId: 1,
  eventTime: new Date(0),
  acceptedAt: new Date(0),
  traceParent: null,
  changedFields: ['companyName'],
  changedUdfs: [],
  fields: Object.assign(emptyFieldValues(), { companyName }),
  udfFields: emptyFieldValues(),
  previous: noPreviousValues,
};

/** One event with callouts for so many webhooks. */
function matchesOf(webhooks: number): WebhookMatch[] {
  return Array.from({ length: webhooks }, (_, nth) => ({
    event,
    subscription: compileSubscription({
      webhookKey: nth + 1,
      webhookId: nth + 1,
      webhookGuid: 'guid',
      version: 1,
      isActive: true,
      activatedAt: new Date(0),
      onCreate: true,
      onUpdate: true,
      onDelete: true,
      fields: [{ name: 'companyName', isSubscribed: true, isDisplayAlways: false }],
      udfFields: [],
      excludedResourceIds: [],
    }),
  }));
}

async function charactersKept(webhooks: number, maxCharacters: number, isEventNear = true) {
  const catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
  const options = { catalogue, firstSequenceNumbers: new Map(), busy: [], newId: () => 'id', maxCharacters };
  const callouts = makeCallouts(matchesOf(webhooks), { ...options, isEventNear: () => isEventNear });
  const kept = callouts.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
  return { kept, callouts };
}

it('one event of many webhooks: no more characters of bodies are kept than there is room for', async () => {
  const { kept, callouts } = await charactersKept(500, 20_000);
  expect(kept).toBeGreaterThan(10_000);
  expect(kept).toBeLessThanOrEqual(20_000);
  expect(callouts).toHaveLength(500);
  for (const { bodyBytes, layout } of callouts) {
    expect(bodyBytes).toBeGreaterThan(1_000);
    expect(layout).not.toBeNull();
  }
});

it('bodies that must be stored are kept, since they cannot be made again', async () => {
  const { callouts } = await charactersKept(10, 0, false);
  expect(callouts.filter(({ body }) => body !== null)).toHaveLength(10);
});
