import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type CalloutClient, createClient } from '@callout/client';
import { ownVersion } from '@callout/runtime/process/own-version';
import { type FoundAccount, readAccount } from '../account.ts';
import type { Account } from '../profiles.ts';
import type { CommandContext } from '../context.ts';
import { boundedAnswer } from './bounded-answer.ts';
import { Unreachable } from './unreachable.ts';

/** The API as a command uses it. */
export interface OpenApi {
  readonly client: CalloutClient;
  readonly account: FoundAccount;
}

/** Where notices are written while an API is called. */
interface Notices {
  readonly out: Pick<CommandContext['out'], 'report'>;
}

/** Receivers refuse signatures that are further from the present. */
const toleratedMs = 5 * 60_000;
/** Waits that are shorter are not worth a line. */
const noticeableMs = 2_000;
/** The client's own limit is for programs: people wait less for an API that is away. */
const attempts = 4;

/** Opens the API with the account of the command line, the environment or the stored profiles. Throws NotSignedIn. */
export async function openApi(context: CommandContext, command: Command): Promise<OpenApi> {
  const { profile } = command.optsWithGlobals<{ profile?: string }>();
  const account = await readAccount(context.env, profile);
  return { account, client: await clientOf(account, noticesOf(context, command)) };
}

/** The function for notices, which are dropped with `--json`, where stderr has one failure at most. */
export function noticesOf({ out }: CommandContext, command: Command): Notices {
  return { out: command.optsWithGlobals()['json'] === true ? { report: () => undefined } : out };
}

/** A client with an account. */
export async function clientOf(
  { url, userName, secret, apiIntegrationCode }: Account,
  notices: Notices,
): Promise<CalloutClient> {
  return createClient({
    baseUrl: url,
    credential: { userName, secret, apiIntegrationCode },
    ...(await callingOptions(notices)),
  });
}

/** How an API is called: under the name of this program, with reports of waits and of a wrong clock on stderr. */
export async function callingOptions(
  { out }: Notices,
  unreachable = (url: string, error: unknown): Error => new Unreachable(url, error),
) {
  const agent = `callout-cli/${await ownVersion()}`;
  let isClockReported = false;
  return {
    headers: { 'User-Agent': agent },
    async fetch(request: Request): Promise<Response> {
      const response = await fetch(request, { redirect: 'manual' }).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        throw unreachable(request.url, error);
      });
      if (!isClockReported) isClockReported = reportClockSkew(clockOf(response), out);
      return boundedAnswer(response, request.url);
    },
    retry: {
      attempts,
      async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
        if (milliseconds >= noticeableMs) {
          out.report(`The API is busy or away; trying again in ${Math.ceil(milliseconds / 1_000)} s.`);
        }
        await sleep(milliseconds, undefined, { signal });
      },
    },
  };
}

/** How far the clock of this machine is ahead of the API's clock, in milliseconds; undefined: unknown. */
function clockOf(response: Response): number | undefined {
  const theirs = Date.parse(response.headers.get('Date') ?? '');
  return Number.isNaN(theirs) ? undefined : Date.now() - theirs;
}

/** Reports a wrong clock. @returns whether it was reported. */
function reportClockSkew(aheadMs: number | undefined, out: Notices['out']): boolean {
  if (aheadMs === undefined || Math.abs(aheadMs) < toleratedMs) return false;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  out.report(
    `The clock of this machine is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Callout: a receiver here refuses signatures by their time. Set the clock.`,
  );
  return true;
}
