import { ApiError } from '@callout/client';
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { mayBeOutage, noteAnswer, suspectOutage, watchOutages } from './outage.ts';
import { endSession, signIn } from './session.ts';
import { problemOf } from '../parts/loaded.tsx';
import { notify } from '../parts/notify.tsx';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Queries with this beginning of the key are read again, also after a refusal: a part may be done. */
      readonly changes?: QueryKey;
      /** What to say after a success. */
      readonly done?: string;
      /** A refusal comes up as a notice, where no part of the page shows refusals. */
      readonly notifiesRefusal?: boolean;
    };
  }
}

/** Refusals are final; anything else is tried again for some seconds, and for as long as the API is away. */
function mayRepeat(failures: number, error: Error): boolean {
  if (mayBeOutage(error)) suspectOutage();
  return failures < 3 && !(error instanceof ApiError && error.status < 500 && error.status !== 429);
}

watchOutages();

/** The session has ended: the shell asks to sign in again. */
function noticeEnd(error: Error): void {
  if (error instanceof ApiError && error.status === 401) endSession(queryClient);
}

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRepeat, staleTime: 5_000, refetchOnReconnect: 'always' },
    // A write fails at once: nothing may be done after the person has gone on.
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({ onSuccess: noteAnswer, onError: noticeEnd }),
  mutationCache: new MutationCache({
    onSuccess(_data, _variables, _context, { meta }) {
      if (meta?.done !== undefined) notify({ message: meta.done });
    },
    onSettled: (_data, _error, _variables, _context, { meta }) =>
      meta?.changes && queryClient.invalidateQueries({ queryKey: meta.changes }),
    onError(error, _variables, _context, { options, meta }) {
      if (mayBeOutage(error)) suspectOutage();
      if (meta?.notifiesRefusal === true) notify({ color: 'red', message: problemOf(error) });
      // A refused sign-in ends no session.
      if (options.mutationFn !== signIn) noticeEnd(error);
    },
  }),
});
