import { Suspense, useSyncExternalStore } from 'react';
import { lazyPart } from './lazy-part.tsx';
import type { Notice } from './notice-list.tsx';

// What shows notices is fetched with the first one: most pages are opened and left without any.
const NoticeList = lazyPart(() => import('./notice-list.tsx'));
const listeners = new Set<() => void>();
let isWanted = false;

/** Says that something was done, or was not. */
export function notify(notice: Notice): void {
  isWanted = true;
  for (const listener of listeners) listener();
  void import('./notice-list.tsx').then(({ show }) => show(notice));
}

/** Warnings of the API about what was done; they stay until they are closed. */
export function notifyWarnings(warnings: readonly string[]): void {
  for (const message of warnings) notify({ message, color: 'yellow', autoClose: false });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where notices come up: once, around all pages. */
export function Notices() {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  return isShown ? (
    <Suspense fallback={null}>
      <NoticeList />
    </Suspense>
  ) : null;
}
