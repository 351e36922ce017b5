import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@callout/database/connection/database';
import type { Credential } from '@callout/client';
import { type Call, callApi } from '@callout/testing';
import type { Chapter, Chronicle, Chronicles } from './chronicle.ts';
import type { Random } from '../random.ts';
import type { PublishedKeys } from '../receivers/published-keys.ts';
import { readJwks, rotationOf } from './rotate-key.ts';
import { bodyFormats } from './variety.ts';
import type { DrillWebhook } from './webhooks.ts';

export interface MeddlerDeps {
  readonly random: Random;
  readonly credential: Credential;
  readonly webhooks: readonly DrillWebhook[];
  /** The id of each webhook, by its name. */
  readonly ids: ReadonlyMap<string, number>;
  readonly tenantId: number;
  /** What receivers know of the tenant's key pairs, one of which replaces the other again and again. */
  readonly keys: PublishedKeys;
  /** The path of the JWKS. */
  readonly keysPath: string;
  /** The owner of the webhooks that are going to be orphaned. */
  readonly ownerId: number;
  readonly database: Pick<Database, 'prisma'>;
  /** Where the API is; undefined while it is down. */
  readonly port: () => number | undefined;
  readonly isOver: () => boolean;
  /** Called when the API responds that another zone serves the tenant. */
  readonly onWrongZone?: () => Promise<void>;
}

const PAUSE_MS = [50, 300] as const;
const RETRY_MS = 50;
const PATIENCE_MS = 180_000;
const SHARE_OF_DELETIONS = 0.3;
const SHARE_OF_RETRIES = 0.3;
/** There is a rotation for so many changes: a new key pair is used for a while before the next one. */
const CHANGES_PER_ROTATION = 2;
/** As long as the drill: the replaced key signs until the next rotation. */
const OVERLAP_HOURS = 1;
const SHARE_WITHOUT_OVERLAP = 0.2;

/**
 * Changes webhooks while events come in: each according to its fate, one change after another, each repeated until it
 * has a response. In between it replaces the key pair that signs. Nothing else changes them, so their history is known, although a response may get lost.
 * @returns the book of the changes.
 */
export async function meddle(deps: MeddlerDeps): Promise<Chronicles> {
  const { random, webhooks } = deps;
  const chronicles = new Map<string, { chapters: Chapter[]; deactivations: number }>();
  for (const webhook of webhooks) {
    const { activatedAt } = await rowOf(deps, webhook);
    chronicles.set(webhook.name, {
      chapters: [{ fromVersion: 0, webhook, isDeleted: false, activatedAt }],
      deactivations: 0,
    });
  }
  let untouched: DrillWebhook[] = [];
  for (let nth = 0; !deps.isOver(); nth += 1) {
    await sleep(random.between(...PAUSE_MS));
    if (nth % CHANGES_PER_ROTATION === 0) {
      // The first one has an overlap: then some callouts are signed by two keys in any drill.
      await rotateKey(deps, nth > 0 && random.chance(SHARE_WITHOUT_OVERLAP) ? 0 : OVERLAP_HOURS);
    }
    if (random.chance(SHARE_OF_RETRIES)) await retryNow(deps, random.pick(webhooks));
    const alive = webhooks.filter(({ name, fate }) => fate !== 'left' && !lastOf(chronicles.get(name)).isDeleted);
    // Each is changed once per round, also where so much is down that few changes are made.
    if (untouched.length === 0) untouched = random.shuffle(alive);
    const chronicle = chronicles.get(untouched.pop()?.name ?? '');
    const now = lastOf(chronicle);
    const change = nextChange(now, random, deps.ownerId);
    const { version } = await rowOf(deps, now.webhook);
    for (const call of change.calls(deps.ids.get(now.webhook.name) ?? 0)) await untilDone(deps, call);
    const { activatedAt } = await rowOf(deps, now.webhook);
    if (change.isDeactivation && chronicle) chronicle.deactivations += 1;
    // A change that was carried out twice has raised the version twice, and both mean the same.
    chronicle?.chapters.push({ ...now, ...change.becomes, fromVersion: version + 1, activatedAt });
  }
  return chronicles;
}

/** Retries, once, everything of a webhook that waits for its next attempt. For any response, nothing is lost. */
async function retryNow({ credential, port, ids }: MeddlerDeps, { name, entity }: DrillWebhook): Promise<void> {
  const at = port();
  if (at === undefined) return;
  await callApi(at, credential, { method: 'POST', path: `/${entity.webhookCollection}/${ids.get(name)}/retryNow` });
}

/** Replaces the key pair, and lets receivers know the new public key as soon as the JWKS has it. */
async function rotateKey(deps: MeddlerDeps, overlapHours: number): Promise<void> {
  const { keys, keysPath, port, onWrongZone } = deps;
  await untilDone(deps, rotationOf(keys.current(), overlapHours));
  const jwks = await eventually(async () => {
    const at = port();
    const found = at === undefined ? undefined : await readJwks(at, keysPath);
    if (found === undefined) await onWrongZone?.();
    return found;
  });
  keys.publish(jwks);
}

interface Change {
  readonly calls: (id: number) => Call[];
  readonly becomes: Partial<Pick<Chapter, 'webhook' | 'isDeleted'>>;
  readonly isDeactivation: boolean;
}

function nextChange({ webhook }: Chapter, random: Random, ownerId: number): Change {
  const path = `/${webhook.entity.webhookCollection}`;
  if (webhook.fate === 'doomed' && random.chance(SHARE_OF_DELETIONS)) {
    return {
      calls: (id) => [{ method: 'DELETE', path: `${path}/${id}` }],
      becomes: { isDeleted: true },
      isDeactivation: true,
    };
  }
  if (webhook.fate === 'reconsidered') {
    const onUpdate = !webhook.onUpdate;
    const merging = webhook.merges === undefined ? {} : { merges: !webhook.merges };
    const { merges: mergeWhileWaiting } = merging;
    return {
      calls: (id) => [{ method: 'PATCH', path, body: { id, isSubscribedToUpdateEvents: onUpdate, mergeWhileWaiting } }],
      becomes: { webhook: { ...webhook, onUpdate, ...merging } },
      isDeactivation: false,
    };
  }
  if (webhook.fate === 'reformatted') {
    const format = random.pick(bodyFormats.filter((one) => one !== webhook.format));
    return {
      calls: (id) => [{ method: 'PATCH', path, body: { id, payloadFormat: format } }],
      becomes: { webhook: { ...webhook, format } },
      isDeactivation: false,
    };
  }
  const isActive = !webhook.isActive;
  const owner: Call = { method: 'PATCH', path: '/Resources', body: { id: ownerId, isActive } };
  return {
    calls(id) {
      const itself: Call = { method: 'PATCH', path, body: { id, isActive } };
      if (webhook.fate !== 'orphaned') return [itself];
      // An owner who is active again leaves his webhooks unchanged.
      return isActive ? [owner, itself] : [owner];
    },
    becomes: { webhook: { ...webhook, isActive } },
    isDeactivation: !isActive,
  };
}

function lastOf(chronicle: Chronicle | undefined): Chapter {
  const last = chronicle?.chapters.at(-1);
  if (last === undefined) throw new Error('a webhook without a chronicle');
  return last;
}

async function untilDone({ credential, port, onWrongZone }: MeddlerDeps, call: Call): Promise<void> {
  await eventually(async () => {
    const at = port();
    if (at === undefined) return undefined;
    const reply = await callApi(at, credential, call);
    if (reply.kind !== 'answered' || reply.status === 503) return undefined;
    if (onWrongZone && reply.status === 421) {
      await onWrongZone();
      return undefined;
    }
    // One that was deleted before the response got lost is not found when it is deleted again.
    if (reply.status === 200 || (call.method === 'DELETE' && reply.status === 404)) return true;
    throw new Error(`unexpected answer ${JSON.stringify(reply)} to ${JSON.stringify(call)}`);
  });
}

/** The webhook's row as the database has it, once the database is there. */
async function rowOf({ database, ids, tenantId }: MeddlerDeps, { name, entity }: DrillWebhook) {
  const { entityType } = entity;
  const where = { tenantId_entityType_id: { tenantId, entityType, id: ids.get(name) ?? 0 } };
  const select = { version: true, activatedAt: true } as const;
  return eventually(() => database.prisma.webhook.findUniqueOrThrow({ where, select }).catch(() => undefined));
}

async function eventually<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(RETRY_MS)) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new Error(`a webhook could not be changed in ${PATIENCE_MS} ms`);
  }
}
