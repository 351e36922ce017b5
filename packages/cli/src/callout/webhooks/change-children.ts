import { type CalloutClient, queryAll } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import type { WebhookPlace } from '../api/webhooks.ts';
import { udfChoices } from './children.ts';

/** The fields and exclusions of a webhook according to the options: these and no others. Undefined: unchanged. */
export interface ChildOptions {
  /** Names of fields whose changes make callouts. */
  readonly fields?: readonly string[];
  /** Names of fields that every callout has. */
  readonly display?: readonly string[];
  /** Names of user-defined fields whose changes make callouts. */
  readonly udf?: readonly string[];
  /** Ids of resources whose changes are left out. */
  readonly excludeResource?: readonly string[];
}

type Kind = 'Fields' | 'UdfFields' | 'ExcludedResources';
type Key = 'fieldID' | 'udfFieldID' | 'resourceID';

/** A record below a webhook: the subject, under `Key`, and the flags. */
interface Child {
  readonly id?: number;
  readonly isSubscribedField?: boolean;
  readonly isDisplayAlwaysField?: boolean;
  readonly fieldID?: number;
  readonly udfFieldID?: number;
  readonly resourceID?: number;
}

/**
 * Makes the fields, user-defined fields and excluded resources of a webhook those of the options. Equal records stay;
 * new records are added before others are removed, so nothing is missed in between.
 * @returns the numbers of added, changed and removed records.
 */
export async function changeChildren(
  client: CalloutClient,
  place: WebhookPlace,
  { fields, display, udf, excludeResource }: ChildOptions,
): Promise<number> {
  let changes = 0;
  if (fields !== undefined || display !== undefined) {
    const idOf = (name: string) => {
      const field = place.entity.fieldByName(name);
      return field?.isSupportedWebhookField === true ? field.fieldID : unknownName(name, place);
    };
    changes += await setUse(client, place, 'Fields', { subscribed: fields?.map(idOf), displayed: display?.map(idOf) });
  }
  if (udf !== undefined) {
    const choices = await udfChoices(client, place.entity);
    const isNamed = (typed: string) => (one: string) => one.toLowerCase() === typed.toLowerCase();
    const idOf = (typed: string) =>
      choices.find(({ name, label }) => [name, label].some(isNamed(typed)))?.id ?? unknownName(typed, place);
    changes += await setUse(client, place, 'UdfFields', { subscribed: udf.map(idOf), displayed: undefined });
  }
  if (excludeResource !== undefined) {
    const kind = 'ExcludedResources';
    const wanted = new Map(excludeResource.map((text) => [resourceId(text), {}]));
    changes += await setChildren(client, place, kind, await childrenOfKind(client, place, kind), wanted);
  }
  return changes;
}

const keys: Readonly<Record<Kind, Key>> = {
  Fields: 'fieldID',
  UdfFields: 'udfFieldID',
  ExcludedResources: 'resourceID',
};

interface Use {
  readonly subscribed: readonly number[] | undefined;
  readonly displayed: readonly number[] | undefined;
}

/** Sets which fields are watched, which are always sent, or both; a field that is neither is removed. */
async function setUse(client: CalloutClient, place: WebhookPlace, kind: Kind, { subscribed, displayed }: Use) {
  const before = await childrenOfKind(client, place, kind);
  const previous = (flag: 'isSubscribedField' | 'isDisplayAlwaysField') =>
    before.flatMap((child) => (child[flag] === true ? [child[keys[kind]] ?? 0] : []));
  const [watched, sent] = [subscribed ?? previous('isSubscribedField'), displayed ?? previous('isDisplayAlwaysField')];
  const wanted = new Map(
    [...new Set([...watched, ...sent])].map((id) => [
      id,
      { isSubscribedField: watched.includes(id), isDisplayAlwaysField: sent.includes(id) },
    ]),
  );
  return setChildren(client, place, kind, before, wanted);
}

async function childrenOfKind(client: CalloutClient, { entity, id: parentId }: WebhookPlace, kind: Kind) {
  const path =
    `/v1.0/${entity.webhookCollection}/{parentId}/${kind}/query` as '/v1.0/CompanyWebhooks/{parentId}/Fields/query';
  const children: Child[] = [];
  for await (const row of queryAll(client, path, { Filter: [] }, { path: { parentId } })) children.push(row);
  return children;
}

async function setChildren(
  client: CalloutClient,
  { entity, id: parentId }: WebhookPlace,
  kind: Kind,
  before: readonly Child[],
  wanted: ReadonlyMap<number, Child>,
): Promise<number> {
  const key = keys[kind];
  const path = `/v1.0/${entity.webhookCollection}/{parentId}/${kind}` as '/v1.0/CompanyWebhooks/{parentId}/Fields';
  const present = new Map(before.map((child) => [child[key] ?? 0, child]));
  let changes = 0;
  for (const [of, use] of wanted) {
    const child = present.get(of);
    const isSame = Object.entries(use).every(([flag, value]) => child?.[flag as keyof Child] === value);
    if (child !== undefined && isSame) continue;
    const params = { path: { parentId } };
    if (child === undefined) await client.POST(path, { params, body: { [key]: of, ...use } as never });
    else await client.PATCH(path, { params, body: { id: child.id, ...use } as never });
    changes += 1;
  }
  for (const [of, child] of present) {
    if (wanted.has(of)) continue;
    await client.DELETE(`${path}/{id}` as '/v1.0/CompanyWebhooks/{parentId}/Fields/{id}', {
      params: { path: { parentId, id: child.id ?? 0 } },
    });
    changes += 1;
  }
  return changes;
}

function unknownName(name: string, { entity }: WebhookPlace): never {
  throw Problem.invalid(
    `${name} is no field that a webhook can name: \`callout fields ${entity.singular}\` lists them`,
  );
}

/** Throws a Problem 400 for an invalid id of a resource. */
export function resourceId(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw Problem.invalid(`--exclude-resource takes ids of resources: ${text} is not one`);
  return Number(text);
}
