import type { FieldMetadata } from '@callout/core/metadata';
import { ok, type Answer } from '../http/answer.ts';
import type { Caller, Role } from '../http/auth/caller.ts';
import type { DescribedCollection } from '../http/operation/collection-operations.ts';
import type { Call, Endpoint } from '../http/route/endpoint.ts';
import { rights } from '../http/auth/rights.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { metadataOperation, type MetadataPath } from './metadata-operations.ts';

/** What a caller may do: nothing, everything, or only some of it. */
export type UserAccess = 0 | 1 | 2;

/** What callers may do by one operation; null: the collection does not have it. */
type Access = ((caller: Caller) => UserAccess) | null;

type Fields = readonly FieldMetadata[] | Promise<readonly FieldMetadata[]>;

/** What a collection says about itself. */
export interface Metadata {
  /** What one of its records is called. */
  readonly name: string;
  readonly access: {
    readonly create: Access;
    readonly query: Access;
    readonly update: Access;
    readonly delete: Access;
  };
  readonly hasUserDefinedFields?: boolean;
  readonly supportsWebhookCallouts?: boolean;
  readonly fields: (caller: Caller) => Fields;
  readonly userDefinedFields?: (caller: Caller) => Fields;
  /** Throws a 404 Problem when the path names something that is not there. */
  readonly checkPath?: (call: Call) => Promise<void>;
}

/** Access of those who have one of these roles. */
export function by(roles: readonly Role[], access: UserAccess = 1): (caller: Caller) => UserAccess {
  return ({ role }) => (roles.includes(role) ? access : 0);
}

/**
 * What a collection says about itself: `…/entityInformation`, `…/entityInformation/fields` and
 * `…/entityInformation/userDefinedFields`, each by GET and POST. Must come before paths with an id in the same place.
 */
export function addMetadataRoutes(
  add: AddRoute,
  path: string,
  { metadata, described }: { readonly metadata: Metadata; readonly described: DescribedCollection },
): void {
  const { fields, userDefinedFields = () => [] } = metadata;
  const addAnswer = (rest: MetadataPath, answer: (caller: Caller) => Answer | Promise<Answer>) => {
    const endpoint = (method: 'GET' | 'POST'): Endpoint => ({
      roles: rights.metadata.read,
      schema: metadataOperation(rest, method, described),
      async handle(call) {
        await metadata.checkPath?.(call);
        return answer(call.caller);
      },
    });
    add(`${path}/entityInformation${rest}`, { GET: endpoint('GET'), POST: endpoint('POST') });
  };
  addAnswer('', (caller) => ok({ info: infoOf(metadata, caller) }));
  addAnswer('/fields', async (caller) => ok({ fields: await fields(caller) }));
  addAnswer('/userDefinedFields', async (caller) => ok({ fields: await userDefinedFields(caller) }));
}

function infoOf(metadata: Metadata, caller: Caller) {
  const { access } = metadata;
  return {
    name: metadata.name,
    canCreate: access.create !== null,
    canDelete: access.delete !== null,
    canQuery: access.query !== null,
    canUpdate: access.update !== null,
    userAccessForCreate: access.create?.(caller) ?? 0,
    userAccessForDelete: access.delete?.(caller) ?? 0,
    userAccessForQuery: access.query?.(caller) ?? 0,
    userAccessForUpdate: access.update?.(caller) ?? 0,
    hasUserDefinedFields: metadata.hasUserDefinedFields ?? false,
    supportsWebhookCallouts: metadata.supportsWebhookCallouts ?? false,
  };
}
