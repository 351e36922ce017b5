import { Router, type Request, type Response } from 'express';
import { Problem, type ProblemDetail } from '@callout/core/errors';
import type { ConsoleIdentity, ConsoleLinkStore, FoundSession } from '@callout/db/console';
import { item, ok, send } from '../http/answer.ts';
import { clientAddress } from '../http/auth/client-address.ts';
import { readJsonBody } from '../http/body/json-body.ts';
import { HttpProblem } from '../http/errors/http-problem.ts';
import { noteForLog } from '../http/server/request-log.ts';
import { sessionIsOver } from './authenticate-sessions.ts';
import { isOfPortal, refuseOthersPages } from './own-page.ts';
import type { SessionCookies, SessionKind } from './session-cookies.ts';
import type { Sessions } from './sessions.ts';

export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
  readonly links: Pick<ConsoleLinkStore, 'take'>;
  /** The kinds of sessions that there are at this address. */
  readonly kinds: readonly SessionKind[];
  /** Who signs in with what a body holds, unless that is a link. Throws a Problem as the API's sign-in does. */
  readonly signIn: (body: Readonly<Record<string, unknown>>, address: string) => Promise<ConsoleIdentity>;
  /** Called before a link is looked for. Throws a Problem (429) when there were too many from the address. */
  readonly limitLinks: (address: string) => Promise<void> | void;
  /** Whether a session that is stored counts here; asked beside what the store knows. */
  readonly counts: (session: FoundSession) => boolean;
  /** What a page needs to know of its session. */
  readonly describe: (session: FoundSession) => Promise<Readonly<Record<string, unknown>>>;
  readonly publicUrl: string | undefined;
}

const MAX_BODY_BYTES = 16_384;

/**
 * `/console/session`: POST signs in, with a credential or with a link, GET tells who one is, DELETE signs out. Signing in
 * always begins a new session, and ends the one that the browser had, so that an attacker cannot plant a session
 * there (session fixation).
 */
export function sessionRoutes(deps: SessionRouteDeps): Router {
  const router = Router();
  router.all('/session', async (request, response) => {
    noteForLog(response, { route: '/console/session' });
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return tell(deps, request, response);
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

async function tell(deps: SessionRouteDeps, request: Request, response: Response): Promise<void> {
  refuseOthersPages(request, deps.publicUrl);
  const brought = deps.cookies.read(request, kindOf(deps, request));
  const session = brought.kind === 'token' ? await deps.sessions.use(brought.token) : undefined;
  if (session !== undefined && deps.counts(session)) send(response, item(await deps.describe(session)));
  else throw brought.kind === 'none' ? Problem.unauthorized('You are not signed in to the console.') : sessionIsOver();
}

async function begin(deps: SessionRouteDeps, request: Request, response: Response): Promise<void> {
  refuseOthersPages(request, deps.publicUrl);
  const body = await readJsonBody(request, MAX_BODY_BYTES);
  const identity = await identityOf(deps, body, clientAddress(request));
  const before = deps.cookies.read(request, identity.kind);
  if (before.kind === 'token') await deps.sessions.end(before.token);
  const token = await deps.sessions.begin(identity);
  const session = await deps.sessions.use(token);
  // Ended while it began: the credential was revoked at this moment, say.
  if (session === undefined) throw sessionIsOver();
  deps.cookies.give(request, response, identity.kind, token);
  send(response, item(await deps.describe(session)));
}

async function identityOf(deps: SessionRouteDeps, body: unknown, address: string): Promise<ConsoleIdentity> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw Problem.notAnObject(body);
  const given = body as Readonly<Record<string, unknown>>;
  const { link } = given;
  if (link === undefined) return deps.signIn(given, address);
  await deps.limitLinks(address);
  const isText = typeof link === 'string' && link.length <= 200;
  const identity = isText ? await deps.links.take(link, deps.kinds, new Date()) : undefined;
  if (identity !== undefined) return identity;
  throw Problem.unauthorized('This sign-in link has already been used or has expired. Ask for a new one.');
}

async function end(deps: SessionRouteDeps, request: Request, response: Response): Promise<void> {
  refuseOthersPages(request, deps.publicUrl);
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

/** Texts of a body. Throws a Problem (`invalid`) that names each one that is absent or no text. */
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
