import type { Command } from 'commander';
import { type CalloutClient, createClient } from '@callout/client';
import { ownVersion } from '@callout/runtime/process/own-version';
import { type FoundAccount, readAccount } from '../account/account.ts';
import type { Account } from '../account/profiles.ts';
import type { CommandContext } from '../context.ts';
import { clockOf, reportClockSkew } from './clock.ts';
import { Unreachable } from './unreachable.ts';

/** The API as a command uses it. */
export interface OpenApi {
  readonly client: CalloutClient;
  readonly account: FoundAccount;
}

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

/** The function for notices: they are dropped with `--json`, where stderr has one failure at most. */
export function noticesOf(
  { out }: CommandContext,
  command: Command,
): { readonly out: Pick<CommandContext['out'], 'tell'> } {
  return { out: command.optsWithGlobals()['json'] === true ? { tell: () => undefined } : out };
}

/** A client with an account, which reports waits and wrong clocks on stderr. */
export async function clientOf(
  { url, userName, secret, apiIntegrationCode }: Account,
  { out }: { readonly out: Pick<CommandContext['out'], 'tell'> },
): Promise<CalloutClient> {
  const agent = `callout-cli/${await ownVersion()}`;
  let isClockTold = false;
  return createClient({
    baseUrl: url,
    credential: { userName, secret, apiIntegrationCode },
    headers: { 'User-Agent': agent },
    async fetch(request) {
      const response = await fetch(request, { redirect: 'manual' }).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        throw new Unreachable(request.url, error);
      });
      if (!isClockTold) isClockTold = reportClockSkew(clockOf(response), out);
      return response;
    },
    retry: {
      attempts,
      async sleep(milliseconds, signal) {
        if (milliseconds >= noticeableMs) {
          out.tell(`The API is busy or away; trying again in ${Math.ceil(milliseconds / 1_000)} s.`);
        }
        await pause(milliseconds, signal);
      },
    },
  });
}

/** Waits, or rejects with the reason of the signal. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stopped = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stopped);
      resolve();
    }, milliseconds);
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
  });
}
