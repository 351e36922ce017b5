import type { FieldMetadata } from '@callout/core/metadata';
import { ok, type Answer } from '../http/answer.ts';
import type { Caller, Role } from '../http/auth/authenticate.ts';
import type { Call, Endpoint, Methods } from '../http/route/endpoint.ts';
import { rights } from '../http/auth/rights.ts';
import type { AddRoute } from '../http/route/route-table.ts';

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
export function addMetadataRoutes(add: AddRoute, path: string, metadata: Metadata): void {
  const answering = (answer: (caller: Caller) => Answer | Promise<Answer>): Methods => {
    const endpoint: Endpoint = {
      roles: rights.metadata.read,
      async handle(call) {
        await metadata.checkPath?.(call);
        return answer(call.caller);
      },
    };
    return { GET: endpoint, POST: endpoint };
  };
  const { fields, userDefinedFields = () => [] } = metadata;
  add(
    `${path}/entityInformation`,
    answering((caller) => ok({ info: infoOf(metadata, caller) })),
  );
  add(
    `${path}/entityInformation/fields`,
    answering(async (caller) => ok({ fields: await fields(caller) })),
  );
  add(
    `${path}/entityInformation/userDefinedFields`,
    answering(async (caller) => ok({ fields: await userDefinedFields(caller) })),
  );
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
