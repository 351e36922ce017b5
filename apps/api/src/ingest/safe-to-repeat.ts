import { hash } from 'node:crypto';
import { type KeptAnswer, type RepeatKeyName, repeatOf } from '@callout/db/ingest';
import type { Answer } from '../http/answer.ts';
import type { Call, EndpointAction } from '../http/route/endpoint.ts';
import type { GivenIdempotencyKey } from '../http/body/idempotency-key.ts';
import { pathId } from '../http/route/path/path-id.ts';
import { repeatedAnswer, type RequestKey } from './intake.ts';

export interface RepeatDeps {
  /** The answer that is kept under a key. */
  readonly findAnswer: (name: RepeatKeyName) => Promise<KeptAnswer | undefined>;
}

/** A write of events: what it is given as its key, it hands on to the intake. */
export interface Write extends Omit<EndpointAction, 'isIntake' | 'handle'> {
  readonly handle: (call: Call, key: RequestKey) => Promise<Answer>;
}

/**
 * Makes a write safe to repeat with an `Idempotency-Key`, for 24 hours per credential and route: a repeat gets the answer
 * of the first, another request under the key is 409, and what was refused is not kept. The intake stores the answer
 * together with the events, and lets a repeat that comes at the same time wait. What is looked up here first is only so
 * that a repeat need not be valid any more: a user-defined field that it names may have been deleted since.
 */
export function safeToRepeat({ findAnswer }: RepeatDeps, write: Write): EndpointAction {
  return {
    ...write,
    isIntake: true,
    async handle(call) {
      const key = call.idempotencyKey && requestKey(call, call.idempotencyKey);
      if (key === undefined) return write.handle(call, undefined);
      const kept = await findAnswer(key);
      return kept === undefined ? write.handle(call, key) : repeatedAnswer(repeatOf(kept, key.requestHash));
    },
  };
}

/** Whom a caller impersonates is part of what it asks for, as the body is; so are the ids in the path. */
function requestKey({ caller, params }: Call, { key, route, bodyHash }: GivenIdempotencyKey): RequestKey {
  return {
    credentialId: caller.credentialId,
    route: route.replaceAll(/:(id|parentId)\b/gu, (_placeholder, name: string) => String(pathId(params[name]))),
    key,
    requestHash: hash('sha256', `${caller.personId} ${bodyHash.toString('hex')}`, 'buffer'),
  };
}
