import { Problem, type ProblemKind } from '@callout/domain/problem';
import { xml, type XmlNode } from '../xml/write-xml.ts';
import type { DatabaseAction } from '../wsdl/struct-types.ts';

/** An entity of a response. */
export interface EntityResult {
  readonly id: number;
  readonly node: XmlNode;
  readonly action: DatabaseAction;
  /** Warnings about probable mistakes of the caller. */
  readonly message?: string;
}

interface Outcome {
  /** The name of the entities; undefined when nothing is known of them. */
  readonly entityName?: string | undefined;
  readonly results?: readonly EntityResult[];
  /** Sentences; with any of them the return code is -1. */
  readonly errors?: readonly string[];
}

/** The members of an ATWSResponse. */
export function atwsResponse({ entityName = '', results = [], errors = [] }: Outcome): XmlNode[] {
  return [
    xml('ReturnCode', {}, errors.length > 0 ? '-1' : '1'),
    xml('EntityResults', {}, ...results.map(({ node }) => node)),
    // In lower case, as clients of the API family expect.
    xml('EntityResultType', {}, entityName.toLowerCase()),
    xml('Errors', {}, ...errors.map((sentence) => xml('ATWSError', {}, xml('Message', {}, sentence)))),
    xml('EntityReturnInfoResults', {}, ...results.map(returnInfo)),
  ];
}

/** The members about an entity; a service without duplicates has found none. */
export function returnInfo({ id, action, message }: Omit<EntityResult, 'node'>): XmlNode {
  return xml(
    'EntityReturnInfo',
    {},
    xml('EntityId', {}, String(id)),
    xml('DatabaseAction', {}, action),
    xml('DuplicateStatus', {}, xml('Found', {}, 'false'), xml('Ignored', {}, 'false')),
    message === undefined ? null : xml('Message', {}, message),
  );
}

/** Errors of a call's entities, as opposed to errors of the call. */
const ofEntities: ReadonlySet<ProblemKind> = new Set(['invalid', 'forbidden', 'notFound', 'conflict', 'tooLarge']);

/** Throws a failure again unless the entities are at fault: the response is a fault. */
export function rethrowOthers(error: unknown): void {
  if (!(error instanceof Problem && ofEntities.has(error.kind))) throw error;
}
