import { Problem, type ProblemKind } from '@callout/core/errors';
import { xml, type XmlNode } from '../xml/write-xml.ts';
import type { DatabaseAction } from '../wsdl/wsdl-types.ts';

/** One entity of an answer. */
export interface EntityResult {
  readonly id: number;
  readonly node: XmlNode;
  readonly action: DatabaseAction;
  /** What the caller may not have meant. */
  readonly message?: string;
}

interface Outcome {
  /** The name of the entities; undefined when nothing is known of them. */
  readonly entityName?: string | undefined;
  readonly results?: readonly EntityResult[];
  /** Sentences; with one of them the return code is -1. */
  readonly errors?: readonly string[];
}

/** What is in an ATWSResponse. */
export function atwsResponse({ entityName = '', results = [], errors = [] }: Outcome): XmlNode[] {
  return [
    xml('ReturnCode', {}, errors.length > 0 ? '-1' : '1'),
    xml('EntityResults', {}, ...results.map(({ node }) => node)),
    // In lower case, as clients of this API family know it.
    xml('EntityResultType', {}, entityName.toLowerCase()),
    xml('Errors', {}, ...errors.map((sentence) => xml('ATWSError', {}, xml('Message', {}, sentence)))),
    xml('EntityReturnInfoResults', {}, ...results.map(returnInfo)),
  ];
}

/** What an answer says about one entity; a service without duplicates has found none. */
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

/** What is wrong with the entities of a call, and not with the call. */
const ofEntities: ReadonlySet<ProblemKind> = new Set(['invalid', 'forbidden', 'notFound', 'conflict', 'tooLarge']);

/** The sentences of what is wrong with an entity. Throws on what is no such thing: the answer is a fault. */
export function errorsOf(error: unknown, sentencesOf: (error: unknown) => readonly string[]): readonly string[] {
  if (error instanceof Problem && ofEntities.has(error.kind)) return sentencesOf(error);
  throw error;
}
