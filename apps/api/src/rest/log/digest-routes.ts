import { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { digestPeriods, digestStates } from '@callout/domain/callout/digest';
import { findDigest } from '@callout/history/log/digest';
import type { ReadDigest } from '@callout/pipeline/digest/read-digest';
import type { ApiContext } from '../../api-context.ts';
import { item } from '../../http/api-response.ts';
import type { OperationTemplate } from '../../http/operation/operation-schema.ts';
import { anyId, itemOf, moment, text, whole } from '../../http/operation/wire-types.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { canonical, judged, readWhole, refuse } from '../../http/route/read-parameters.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { webhookEndpoint, webhookKeyOf } from '../webhooks/webhook-endpoint.ts';

/** `GET …/{id}/Digest`: which callouts of a range were delivered, with the values of the chain. */
export function addDigestRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/:id/Digest`, { GET: digest(api, entity) });
  }
}

const parameters = z.object({
  fromSequence: whole.min(1).describe('The first number; absent: the first that is kept.').optional(),
  toSequence: whole.min(1).describe('The last number; absent: the last that there is.').optional(),
});

function digest(api: ApiContext, entity: EntityDefinition): Endpoint {
  const template: OperationTemplate = {
    id: 'get{One}Digest',
    summary: 'Which callouts of {one} were delivered, and a proof of it',
    description:
      'The content of a digest for any range of sequence numbers that is still kept. A long range comes in parts: nextFromSequenceNumber is where the next one begins. Without digestEvery, and before it was set, previousChain is the value with which a chain begins.',
    query: parameters,
    responses: {
      200: {
        description: 'Which callouts of the range were delivered, and the state of each other one.',
        schema: itemOf(digestSchema),
      },
    },
  };
  return webhookEndpoint(api, entity, 'read', template, async (call) => {
    const asked = judged((problems) => {
      const given = canonical(call.query, Object.keys(parameters.shape));
      const from = readWhole(given['fromSequence'], 'fromSequence', 1, problems);
      const to = readWhole(given['toSequence'], 'toSequence', 1, problems);
      if (from !== null && to !== null && from > to) {
        refuse(problems, 'toSequence', `must be ${from} or more, since fromSequence is`);
      }
      return { from, to };
    });
    const key = await webhookKeyOf(api, entity, call);
    return item(digestItem(await findDigest(api.search, call.caller.tenantId, key, asked)));
  });
}

const sequenceNumber = whole.min(0).meta({ format: 'int64' });
const value = text.describe('A value of the chain: SHA-256 in lower-case hex.');

const run = z.object({
  fromSequenceNumber: sequenceNumber.describe('The first of consecutive numbers with this state.'),
  toSequenceNumber: sequenceNumber.describe('The last of them.'),
  state: z
    .enum(digestStates)
    .describe(
      'open: still to be delivered; deactivation: a deactivation call, which was delivered to the deactivationUrl.',
    ),
  chainBefore: value.describe('The value of the chain before the first of them.'),
  chainAfter: value.describe('The value of the chain at the last of them.'),
});

const digestSchema = z
  .object({
    firstSequenceNumber: sequenceNumber.describe('The first number of this answer.'),
    lastSequenceNumber: sequenceNumber.describe('The last number of this answer; one less than the first: none.'),
    count: whole.min(0).describe('How many callouts this answer is about.'),
    previousChain: value.describe('The value of the chain before the first number.'),
    chain: value.describe('The value of the chain at the last number.'),
    notDelivered: z.array(run).describe('Every number of the answer that was not delivered; the others were.'),
    keptFromSequenceNumber: sequenceNumber
      .nullable()
      .describe('The first number that is still kept; null: none is kept.'),
    nextFromSequenceNumber: sequenceNumber
      .nullable()
      .describe('Where the rest of the range begins; null: the range has no more.'),
    latestSequenceNumber: sequenceNumber.describe('The last number that the webhook has given to a callout.'),
    digestEvery: z.enum(digestPeriods).describe('How often digests are sent.'),
    nextDigestDateTime: moment.nullable().describe('When the next digest is due; null: none is sent.'),
    lastDigest: z
      .object({
        sequenceNumber: anyId.describe('Its sequence number.'),
        createDateTime: moment.describe('When it was made.'),
      })
      .nullable()
      .describe('The last digest that was made; null: there was none.'),
  })
  .meta({ id: 'Digest' });

function digestItem(read: ReadDigest) {
  const { firstSequenceNumber, lastSequenceNumber, previousChain, chain, lastDigest, lastDigestAt } = read;
  return {
    firstSequenceNumber,
    lastSequenceNumber,
    count: lastSequenceNumber - firstSequenceNumber + 1,
    previousChain,
    chain,
    notDelivered: read.notDelivered.map(({ from, to, ...others }) => ({
      fromSequenceNumber: from,
      toSequenceNumber: to,
      ...others,
    })),
    keptFromSequenceNumber: read.keptFrom,
    nextFromSequenceNumber: read.next,
    latestSequenceNumber: read.lastNumber,
    digestEvery: read.digestEvery,
    nextDigestDateTime: read.nextDigestAt?.toISOString() ?? null,
    lastDigest:
      lastDigest === null || lastDigestAt === null
        ? null
        : { sequenceNumber: lastDigest, createDateTime: lastDigestAt.toISOString() },
  };
}
