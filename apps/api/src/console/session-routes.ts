import { Router, type Request, type Response } from 'express';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import type { ConsoleLinkStore } from '@callout/tenancy/sessions/links';
import type { FoundSession } from '@callout/tenancy/sessions/session.rules';
import type { ConsoleIdentity } from '@callout/tenancy/sessions/sessions';
import { item, ok, send } from '../http/api-response.ts';
import { clientAddress } from '../http/auth/client-address.ts';
import { readJsonBody } from '../http/body/json-body.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { noteForLog } from '../http/server/request-log.ts';
import { sessionIsOver } from './authenticate-sessions.ts';
import { isOfPortal, refuseCrossOriginRequests } from './same-origin.ts';
import type { SessionCookies, SessionKind } from './session-cookies.ts';
import type { Sessions } from './sessions.ts';

export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
  readonly links: Pick<ConsoleLinkStore, 'take'>;
  /** The kinds of sessions at the address. */
  readonly kinds: readonly SessionKind[];
  /** Authenticates the user by a body without a link. Throws a Problem as the API's authentication does. */
  readonly signIn: (body: Readonly<Record<string, unknown>>, address: string) => Promise<ConsoleIdentity>;
  /** Called before a link is looked for. Throws a Problem (429) when there were too many from the address. */
  readonly limitLinks: (address: string) => Promise<void> | void;
  /** Whether a stored session is valid here, besides the checks of the store. */
  readonly counts: (session: FoundSession) => boolean;
  /** Describes a session to the page. */
  readonly describe: (session: FoundSession) => Promise<Readonly<Record<string, unknown>>>;
  readonly publicUrl: string | undefined;
}

const MAX_BODY_BYTES = 16_384;

/**
 * `/console/session`: POST signs in with a credential or a link, GET describes the user, DELETE signs out. Signing in
 * always begins a new session and ends the browser's earlier session, since an attacker could otherwise fix a session.
 */
export function sessionRoutes(deps: SessionRouteDeps): Router {
  const router = Router();
  router.all('/session', async (request, response) => {
    noteForLog(response, { route: '/console/session' });
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return describe(deps, request, response);
      case 'POST':
        return begin(deps, request, response);
      case 'DELETE':
        return end(deps, request, response);
      default:
        throw HttpProblem.methodNotAllowed(['GET', 'HEAD', 'POST', 'DELETE']);
    }
  });
  return router;
}

async function describe(deps: SessionRouteDeps, request: Request, response: Response): Promise<void> {
  refuseCrossOriginRequests(request, deps.publicUrl);
  const brought = deps.cookies.read(request, kindOf(deps, request));
  const session = brought.kind === 'token' ? await deps.sessions.use(brought.token) : undefined;
  if (session !== undefined && deps.counts(session)) send(response, item(await deps.describe(session)));
  else throw brought.kind === 'none' ? Problem.unauthorized('You are not signed in to the console.') : sessionIsOver();
}

async function begin(deps: SessionRouteDeps, request: Request, response: Response): Promise<void> {
  refuseCrossOriginRequests(request, deps.publicUrl);
  const body = await readJsonBody(request, MAX_BODY_BYTES);
  const identity = await identityOf(deps, body, clientAddress(request));
  const before = deps.cookies.read(request, identity.kind);
  if (before.kind === 'token') await deps.sessions.end(before.token);
  const token = await deps.sessions.begin(identity);
  const session = await deps.sessions.use(token);
  // The session ended while beginning, for example because the credential was revoked.
  if (session === undefined) throw sessionIsOver();
  deps.cookies.give(request, response, identity.kind, token);
  send(response, item(await deps.describe(session)));
}

async function identityOf(deps: SessionRouteDeps, body: unknown, address: string): Promise<ConsoleIdentity> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw Problem.notAnObject(body);
  const bodyFields = body as Readonly<Record<string, unknown>>;
  const { link } = bodyFields;
  if (link === undefined) return deps.signIn(bodyFields, address);
  await deps.limitLinks(address);
  const isText = typeof link === 'string' && link.length <= 200;
  const identity = isText ? await deps.links.take(link, deps.kinds, new Date()) : undefined;
  if (identity !== undefined) return identity;
  throw Problem.unauthorized('This sign-in link has already been used or has expired. Ask for a new one.');
}

async function end(deps: SessionRouteDeps, request: Request, response: Response): Promise<void> {
  refuseCrossOriginRequests(request, deps.publicUrl);
  const kind = kindOf(deps, request);
  const brought = deps.cookies.read(request, kind);
  if (brought.kind === 'token') await deps.sessions.end(brought.token);
  deps.cookies.take(request, response, kind);
  send(response, ok({ item: null }));
}

function kindOf({ kinds }: SessionRouteDeps, request: Request): SessionKind {
  const [usual = 'user'] = kinds;
  return isOfPortal(request) && kinds.includes('portal') ? 'portal' : usual;
}

/** Texts of a body. Throws a Problem (`invalid`) with each key that is absent or not a text. */
export function requiredTexts<Key extends string>(
  body: Readonly<Record<string, unknown>>,
  keys: readonly Key[],
): Record<Key, string> {
  const problems: ProblemDetail[] = [];
  const texts: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const value = body[key];
    if (typeof value === 'string' && value.trim() !== '') texts[key] = value.trim();
    else problems.push({ code: 'required', field: key, message: `${key} is required` });
  }
  if (problems.length > 0) throw Problem.invalid(problems);
  return texts as Record<Key, string>;
}
